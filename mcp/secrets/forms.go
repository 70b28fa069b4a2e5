package secrets

import "strings"

// forms are tokens that do not begin in a fixed way.
var forms = []rule{
	// Microsoft Entra ID, client secrets
	{id: "azure-ad-client-secret", kinds: Prose | Report | Data, keywords: []string{"Q~"}, exact: true, entropy: minEntropy, expr: `(?:^|[^\w~.-])([\w~.]{3}\dQ~[\w~.-]{31,34})`},
	// learn.microsoft.com, Azure DevOps: the signature of personal access tokens
	{id: "azure-devops-token", kinds: Prose | Report | Data, keywords: []string{"AZDO"}, exact: true, entropy: minEntropy, expr: `\b[0-9A-Za-z]{76}AZDO[0-9A-Za-z]{4}\b`},
	// learn.microsoft.com, Azure Storage: connection strings
	{id: "azure-storage-key", kinds: Prose | Report | Data, keywords: []string{"accountkey="}, entropy: minEntropy, expr: `(?i)\bAccountKey=([0-9a-z+/]{86}==)`},
	// discord.com/developers/docs/reference: an id, a time and a signature, in Base64
	{id: "discord-api-token", kinds: Prose | Report | Data, keywords: []string{"discord", "bot"}, entropy: minEntropy, expr: `\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}`},
	// mailchimp.com/developer: the data centre behind the key
	{id: "mailchimp-api-key", kinds: Prose | Report | Data, keywords: []string{"-us"}, exact: true, entropy: minEntropy, expr: `\b[0-9a-f]{32}-us\d{1,2}\b`},
	// core.telegram.org/bots/api: the number of the bot, and 35 characters
	{id: "telegram-bot-api-token", kinds: Prose | Report | Data, keywords: []string{":AA"}, exact: true, entropy: minEntropy, expr: `\b\d{8,10}:AA[\w-]{33}`},
	// developer.hashicorp.com/terraform: API tokens
	{id: "terraform-token", kinds: Prose | Report | Data, keywords: []string{".atlasv1."}, exact: true, entropy: minEntropy, expr: `\b[0-9A-Za-z]{14}\.atlasv1\.[\w=-]{60,70}`},
	// Services whose keys have no form of their own: the name of the service and a word for
	// the key stand before it.
	{
		id: "service-key", kinds: Prose | Report | Data, keywords: services, entropy: 3.2, digits: true,
		expr: `(?i)(?:` + strings.Join(services, "|") + `)[\w .-]{0,20}(?:key|token|secret)\w{0,10}["']?\s{0,3}[:=]>?\s{0,3}["']?([\w-]{20,80})\b`,
	},
}

// services give keys without a form.
var services = []string{
	"adafruit", "adobe", "algolia", "asana", "beamer", "bitbucket", "bittrex", "cloudflare", "codecov", "cohere", "coinbase",
	"confluent", "contentful", "datadog", "discord", "droneci", "dropbox", "etsy", "facebook", "fastly", "finicity", "finnhub",
	"flickr", "freshbooks", "gitter", "gocardless", "heroku", "hubspot", "intercom", "jfrog", "kraken", "kucoin", "launchdarkly",
	"linkedin", "looker", "mailchimp", "mailgun", "mattermost", "messagebird", "nytimes", "okta", "plaid", "rapidapi", "sendbird",
	"snyk", "sumologic", "travis", "trello", "twitch", "twitter", "zendesk",
}

// assignments find values in programs whose name or place says that they are secret.
// They are not for prose, which talks of passwords.
var assignments = []rule{
	// A private key whose end is missing, as in a text that was cut.
	{
		id: "private-key-part", kinds: Report | Data, keywords: []string{"-----BEGIN"}, exact: true,
		expr: `-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----\s*(?:[A-Za-z0-9+/=]{16,}\s*|[A-Z][\w-]{1,40}: [^\n]{0,100}\n\s*)*[A-Za-z0-9+/=]*(?:\s*-----END[ A-Z0-9_-]{0,100}-----)?`,
	},
	// A variable of the environment.
	{
		id: "environment", kinds: Report | Data,
		keywords: []string{"PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "CREDENTIAL", "KEY", "TOKEN"}, exact: true,
		expr:     `\b[A-Z0-9_]{0,60}?(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|AUTH_?KEY|TOKEN)S?(?:_[A-Z0-9_]{0,60})?=\s?"?([^\n"]{3,})`,
		harmless: `^(?i:\d+|true|false|none|null)$`,
	},
	// Behind an equals sign, as in configurations and queries.
	{
		id: "assigned-password", kinds: Report | Data,
		keywords: []string{"password", "passwd", "pwd", "passphrase", "secret", "token", "key"},
		expr:     `(?i)\b(?:\w{0,40}_)?(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key)=([^\s"'&;,]{4,})`,
		harmless: `^(?i:\d+|true|false|none|null|0x[0-9a-f]+)$`,
	},
	{
		id: "json-password", kinds: Report | Data,
		keywords: []string{"password", "passwd", "pwd", "passphrase", "secret", "token", "key"},
		expr:     `(?i)"(?:\w{0,40}_)?(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key)\s?"\s{0,4}:\s{0,4}"([^"]{4,})`,
	},
	{
		id: "url-password", kinds: Report | Data, keywords: []string{"://"},
		expr: `\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@"']{0,100}:([^\s/@"']{3,300})@`,
	},
	{
		id: "http-authorization", kinds: Report | Data, keywords: []string{"authorization"},
		expr: `(?i)\b(?:proxy-)?authorization\s?["']?\s{0,3}[:=]\s{0,3}["']?(?:(?:bearer|basic|token|digest|negotiate)\s{1,3})?([\w.~+/=-]{8,})`,
	},
	// RFC 6750
	{id: "bearer-token", kinds: Report | Data, keywords: []string{"bearer"}, expr: `(?i)\bbearer\s{1,3}([\w.~+/=-]{16,})`},
	{id: "http-cookie", kinds: Report | Data, keywords: []string{"cookie"}, expr: `(?i)\b(?:set-)?cookie2?:\s{0,3}([^\s"][^\n"]{3,})`},
	// curl's option for a name and a password
	{id: "curl-user", kinds: Report | Data, keywords: []string{"curl"}, exact: true, expr: `\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?["']?[^\s"':]{1,100}:([^\s"']{3,})`},
}
