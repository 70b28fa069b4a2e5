package secrets

// A format is a published form of keys or tokens: one of the beginnings, and the rest as a
// regular expression.
type format struct {
	id     string
	begin  []string                // each one is a keyword
	rest   string                  // behind the beginning; it may have one group, whose match alone is the secret
	reach  int                     // like that of a rule
	sum    func(token string) bool // reports whether the checksum is right; nil without one
	source string                  // who describes the form
}

// The alphabets of formats.
const (
	hex    = `[0-9a-f]`
	base62 = `[0-9A-Za-z]`
	base64 = `[0-9A-Za-z+/]`
	url64  = `[0-9A-Za-z_-]` // RFC 4648, section 5
	uuid   = hex + `{8}(?:-` + hex + `{4}){3}-` + hex + `{12}`
)

// formats holds the forms that issuers of tokens document or show in examples, in the order of the
// ids. Lengths are lower bounds where issuers have made tokens longer before.
var formats = []format{
	{id: "1password-secret-key", begin: []string{"A3-"}, rest: `[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}`, source: "1Password Security Design White Paper"},
	{id: "1password-service-account-token", begin: []string{"ops_eyJ"}, rest: base64 + `{200,}={0,3}`, source: "developer.1password.com/docs/service-accounts"},
	{id: "age-secret-key", begin: []string{"AGE-SECRET-KEY-1"}, rest: `[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`, source: "C2SP age: Bech32 of 32 bytes, in capitals"},
	{id: "airtable-personal-access-token", begin: []string{"pat"}, rest: base62 + `{14}\.` + hex + `{64}`, source: "airtable.com/developers/web/guides/personal-access-tokens"},
	{id: "alibaba-access-key-id", begin: []string{"LTAI"}, rest: base62 + `{12,26}`, source: "Alibaba Cloud RAM: AccessKey pairs"},
	{id: "anthropic-api-key", begin: []string{"sk-ant-api", "sk-ant-admin", "sk-ant-oat", "sk-ant-ort"}, rest: `\d\d-` + url64 + `{80,}`, source: "docs.anthropic.com: API and Admin API keys"},
	{id: "artifactory-api-key", begin: []string{"AKCp"}, rest: base62 + `{60,}`, source: "JFrog: API keys"},
	{id: "artifactory-reference-token", begin: []string{"cmVmdGtu"}, rest: base62 + `{56}`, source: "JFrog: reference tokens, Base64 of reftkn:"},
	{id: "atlassian-api-token", begin: []string{"ATATT3x", "ATCTT3x", "ATBB"}, rest: `[0-9A-Za-z_=-]{28,}`, source: "support.atlassian.com: API tokens and app passwords"},
	{id: "aws-access-token", begin: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, rest: `[2-7A-Z]{16}\b`, source: "AWS IAM User Guide: unique identifiers"},
	{id: "aws-bedrock-api-key", begin: []string{"ABSK", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t"}, rest: base64 + `{80,}={0,2}`, source: "Amazon Bedrock User Guide: API keys"},
	{id: "braintree-access-token", begin: []string{"access_token$"}, rest: `(?:production|sandbox)\$[0-9a-z]{16}\$` + hex + `{32}`, source: "developer.paypal.com/braintree: access tokens"},
	{id: "clojars-api-token", begin: []string{"CLOJARS_"}, rest: `[0-9a-z]{60}`, source: "github.com/clojars/clojars-web/wiki/Deploy-Tokens"},
	{id: "cloudflare-api-token", begin: []string{"cfk_", "cfut_", "cfat_"}, rest: url64 + `{44,}`, source: "developers.cloudflare.com: token formats"},
	{id: "cloudflare-origin-ca-key", begin: []string{"v1.0-"}, rest: hex + `{24}-` + hex + `{146}`, source: "developers.cloudflare.com: Origin CA keys"},
	{id: "crates-io-token", begin: []string{"cio"}, rest: base62 + `{32}\b`, source: "blog.rust-lang.org: crates.io tokens, 2020"},
	{id: "databricks-api-token", begin: []string{"dapi"}, rest: hex + `{32}(?:-\d)?`, source: "docs.databricks.com: personal access tokens"},
	{id: "digitalocean-token", begin: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, rest: hex + `{64}`, source: "digitalocean.com/blog: updated API tokens"},
	{id: "discord-webhook-url", begin: []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}, rest: `\d{17,20}/(` + url64 + `{60,})`, source: "discord.com/developers/docs/resources/webhook"},
	{id: "docker-access-token", begin: []string{"dckr_pat_", "dckr_oat_"}, rest: url64 + `{27,}`, source: "docs.docker.com/security/access-tokens"},
	{id: "doppler-api-token", begin: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.said.", "dp.scim.", "dp.audit."}, rest: `(?:[0-9a-z_-]{2,35}\.)?` + base62 + `{40,44}`, source: "docs.doppler.com/reference/auth-token-formats"},
	{id: "duffel-api-token", begin: []string{"duffel_test_", "duffel_live_"}, rest: `[0-9A-Za-z_=-]{43}`, source: "duffel.com/docs/api: authentication"},
	{id: "dynatrace-api-token", begin: []string{"dt0c01.", "dt0s01.", "dt0s02.", "dt0s16."}, rest: `[0-9A-Z]{24}\.[0-9A-Z]{64}`, source: "docs.dynatrace.com: access tokens"},
	{id: "easypost-api-token", begin: []string{"EZAK", "EZTK"}, rest: base62 + `{54}`, source: "docs.easypost.com: authentication"},
	{id: "figma-access-token", begin: []string{"figd_"}, rest: url64 + `{40,}`, source: "figma.com/developers/api: access tokens"},
	{id: "flutterwave-secret-key", begin: []string{"FLWSECK-", "FLWSECK_TEST-"}, rest: `[0-9A-Za-z]{12,64}-X`, source: "developer.flutterwave.com: API keys"},
	{id: "flyio-access-token", begin: []string{"fo1_", "fm1r_", "fm1a_", "fm2_"}, rest: `[0-9A-Za-z+/_-]{43,}={0,3}`, source: "fly.io/docs/security/tokens"},
	{id: "gcp-api-key", begin: []string{"AIza"}, rest: url64 + `{35}`, source: "cloud.google.com/docs/authentication/api-keys"},
	{id: "github-app-token", begin: []string{"ghu_", "ghs_"}, rest: base62 + `{36,}`, sum: crc62, source: "github.blog: authentication token formats, 2021"},
	{id: "github-fine-grained-pat", begin: []string{"github_pat_"}, rest: `[0-9A-Za-z_]{82}`, source: "docs.github.com: authentication"},
	{id: "github-oauth", begin: []string{"gho_"}, rest: base62 + `{36,}`, sum: crc62, source: "github.blog: authentication token formats, 2021"},
	{id: "github-pat", begin: []string{"ghp_"}, rest: base62 + `{36,}`, sum: crc62, source: "github.blog: authentication token formats, 2021"},
	{id: "github-refresh-token", begin: []string{"ghr_"}, rest: base62 + `{36,}`, sum: crc62, source: "github.blog: authentication token formats, 2021"},
	{id: "gitlab-pat", begin: []string{"glpat-"}, rest: `[0-9A-Za-z_-]{20,}(?:\.[0-9a-z]{2,}\.?[0-9a-z]*)?`, source: "docs.gitlab.com/security/tokens: token prefixes"},
	{id: "gitlab-session-cookie", begin: []string{"_gitlab_session="}, rest: `([0-9a-z]{32,})`, source: "docs.gitlab.com/security/tokens: token prefixes"},
	{id: "gitlab-token", begin: []string{"gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "glwt-"}, rest: `[0-9A-Za-z_.-]{20,}`, source: "docs.gitlab.com/security/tokens: token prefixes"},
	{id: "google-oauth-access-token", begin: []string{"ya29."}, rest: url64 + `{30,}`, source: "developers.google.com/identity/protocols/oauth2"},
	{id: "google-oauth-client-secret", begin: []string{"GOCSPX-"}, rest: url64 + `{28}`, source: "developers.google.com/identity/protocols/oauth2"},
	{id: "grafana-cloud-api-token", begin: []string{"glc_"}, rest: base64 + `{32,}={0,3}`, source: "grafana.com/docs: access policies"},
	{id: "grafana-service-account-token", begin: []string{"glsa_"}, rest: base62 + `{32}_` + hex + `{8}`, source: "grafana.com/docs: service account tokens"},
	{id: "groq-api-key", begin: []string{"gsk_"}, rest: base62 + `{52}`, source: "console.groq.com/docs"},
	{id: "harness-api-key", begin: []string{"pat.", "sat."}, rest: url64 + `{22}\.` + base62 + `{24}\.` + base62 + `{20}`, source: "developer.harness.io: manage API keys"},
	{id: "heroku-api-key", begin: []string{"HRKU-"}, rest: `(?:AA` + url64 + `{58}|` + uuid + `)`, source: "devcenter.heroku.com/changelog: token prefix"},
	{id: "huggingface-access-token", begin: []string{"hf_", "api_org_"}, rest: `[A-Za-z]{34}`, source: "huggingface.co/docs/hub/security-tokens"},
	{id: "infracost-api-token", begin: []string{"ico-"}, rest: base62 + `{32}`, source: "infracost.io/docs"},
	{id: "jwt", begin: []string{"eyJ"}, reach: 8 << 10, rest: `[0-9A-Za-z_-]{14,}\.eyJ[0-9A-Za-z_-]{14,}\.[0-9A-Za-z_-]{10,}`, source: "RFC 7519: objects in Base64, from {\""},
	{id: "linear-api-key", begin: []string{"lin_api_", "lin_oauth_"}, rest: base62 + `{40,}`, source: "linear.app/developers"},
	{id: "mailgun-private-api-token", begin: []string{"key-"}, rest: hex + `{32}\b`, source: "documentation.mailgun.com: authentication"},
	{id: "mapbox-secret-token", begin: []string{"sk.eyJ"}, rest: url64 + `{60,}\.` + url64 + `{20,}`, source: "docs.mapbox.com: access tokens"},
	{id: "microsoft-teams-webhook", begin: []string{".webhook.office.com/webhookb2/"}, rest: `(` + uuid + `@` + uuid + `/IncomingWebhook/` + hex + `{32}/` + uuid + `)`, source: "learn.microsoft.com: incoming webhooks"},
	{id: "netlify-access-token", begin: []string{"nfp_"}, rest: base62 + `{36,}`, source: "docs.netlify.com: personal access tokens"},
	{id: "new-relic-key", begin: []string{"NRAK-", "NRII-", "NRJS-", "NRRA-", "NRIQ-", "NRAA-"}, rest: url64 + `{19,}`, source: "docs.newrelic.com: API keys"},
	{id: "notion-api-token", begin: []string{"ntn_"}, rest: base62 + `{40,}`, source: "developers.notion.com: authorization"},
	{id: "npm-access-token", begin: []string{"npm_"}, rest: base62 + `{36}`, sum: crc62, source: "github.blog: npm's access token format, 2021"},
	{id: "nuget-api-key", begin: []string{"oy2"}, rest: `[0-9a-z]{43}\b`, source: "learn.microsoft.com/nuget: scoped API keys"},
	{id: "octopus-deploy-api-key", begin: []string{"API-"}, rest: `[0-9A-Z]{26,}\b`, source: "octopus.com/docs: how to create an API key"},
	{id: "openai-api-key", begin: []string{"sk-", "sk-proj-", "sk-svcacct-", "sk-admin-"}, rest: url64 + `{20,}T3BlbkFJ` + url64 + `{20,}`, source: "platform.openai.com: API keys; T3BlbkFJ is Base64 of OpenAI"},
	{id: "openrouter-api-key", begin: []string{"sk-or-v1-"}, rest: hex + `{64}`, source: "openrouter.ai/docs: secret formats"},
	{id: "openshift-user-token", begin: []string{"sha256~"}, rest: url64 + `{43}`, source: "docs.openshift.com: OAuth tokens"},
	{id: "perplexity-api-key", begin: []string{"pplx-"}, rest: base62 + `{48}`, source: "docs.perplexity.ai"},
	{id: "plaid-api-token", begin: []string{"access-sandbox-", "access-development-", "access-production-"}, rest: uuid, source: "plaid.com/docs: access tokens"},
	{id: "planetscale-token", begin: []string{"pscale_tkn_", "pscale_oauth_", "pscale_pw_"}, rest: `[0-9A-Za-z_=.-]{32,}`, source: "planetscale.com/docs: service tokens"},
	{id: "postman-api-token", begin: []string{"PMAK-"}, rest: hex + `{24}-` + hex + `{34}`, source: "learning.postman.com: API keys"},
	{id: "prefect-api-token", begin: []string{"pnu_", "pnb_"}, rest: base62 + `{36}`, source: "docs.prefect.io: manage API keys"},
	{id: "private-key", begin: []string{"-----BEGIN"}, reach: 8 << 10, rest: `[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-[^-]){40,}?-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----`, source: "RFC 7468; RFC 9580 for OpenPGP"},
	{id: "pulumi-api-token", begin: []string{"pul-"}, rest: hex + `{40}`, source: "pulumi.com/docs: access tokens"},
	{id: "pypi-upload-token", begin: []string{"pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"}, rest: url64 + `{50,}`, source: "warehouse.pypa.io: token scanning"},
	{id: "readme-api-token", begin: []string{"rdme_"}, rest: `[0-9a-z]{70}`, source: "docs.readme.com: API keys"},
	{id: "replicate-api-token", begin: []string{"r8_"}, rest: base62 + `{37}`, source: "replicate.com/docs: API tokens"},
	{id: "rubygems-api-token", begin: []string{"rubygems_"}, rest: hex + `{48}`, source: "guides.rubygems.org: API key scopes"},
	{id: "sendgrid-api-token", begin: []string{"SG."}, rest: `[0-9A-Za-z_.=-]{66}`, source: "twilio.com/docs/sendgrid: API keys"},
	{id: "sendinblue-api-token", begin: []string{"xkeysib-"}, rest: hex + `{64}-` + base62 + `{16}`, source: "developers.brevo.com: authentication"},
	{id: "sentry-token", begin: []string{"sntryu_", "sntrys_", "sntrya_", "sntryi_"}, rest: `[0-9A-Za-z+/=_-]{64,}`, source: "docs.sentry.io: token formats"},
	{id: "server-key", begin: []string{"kdb_live_", "kdb_test_", "kdb_lent_", "kdb_next_"}, rest: base62 + `{20,}`, source: "docs/operations.md: keys"},
	{id: "shippo-api-token", begin: []string{"shippo_live_", "shippo_test_"}, rest: hex + `{40}`, source: "docs.goshippo.com: authentication"},
	{id: "shopify-token", begin: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, rest: `[0-9A-Fa-f]{32}`, source: "shopify.dev/changelog: token prefixes"},
	{id: "slack-app-token", begin: []string{"xapp-"}, rest: `\d-[0-9A-Z]+-\d+-[0-9A-Za-z]+`, source: "api.slack.com/concepts/token-types"},
	{id: "slack-token", begin: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xoxb-", "xoxe.xoxp-"}, rest: `[0-9A-Za-z%-]{10,}`, source: "api.slack.com/concepts/token-types"},
	{id: "slack-webhook-url", begin: []string{"https://hooks.slack.com/"}, rest: `(?:services|workflows|triggers)/[0-9A-Za-z+/]{43,}`, source: "api.slack.com/messaging/webhooks"},
	{id: "sonar-api-token", begin: []string{"squ_", "sqp_", "sqa_"}, rest: hex + `{40}`, source: "docs.sonarsource.com: tokens"},
	{id: "square-token", begin: []string{"EAAA", "sq0atp-", "sq0csp-"}, rest: url64 + `{22,}`, source: "developer.squareup.com: access tokens"},
	{id: "stripe-access-token", begin: []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_"}, rest: base62 + `{16,}`, source: "docs.stripe.com/keys"},
	{id: "stripe-webhook-secret", begin: []string{"whsec_"}, rest: base64 + `{24,}={0,2}`, source: "docs.stripe.com/webhooks"},
	{id: "supabase-key", begin: []string{"sbp_", "sb_secret_"}, rest: url64 + `{31,}`, source: "supabase.com/docs: API keys"},
	{id: "tailscale-key", begin: []string{"tskey-auth-", "tskey-api-", "tskey-client-", "tskey-webhook-"}, rest: base62 + `{8,}-` + base62 + `{20,}`, source: "tailscale.com/kb: key prefixes"},
	{id: "twilio-api-key", begin: []string{"SK"}, rest: hex + `{32}\b`, source: "twilio.com/docs/iam/api-keys"},
	{id: "typeform-api-token", begin: []string{"tfp_"}, rest: `[0-9A-Za-z_.=-]{40,}`, source: "typeform.com/developers: personal access tokens"},
	{id: "vault-token", begin: []string{"hvs.", "hvb.", "hvr."}, rest: url64 + `{24,}`, source: "developer.hashicorp.com/vault: tokens"},
	{id: "vercel-token", begin: []string{"vcp_", "vci_", "vca_", "vcr_", "vck_"}, rest: base62 + `{24,}`, source: "vercel.com/changelog: token formats"},
	{id: "xai-api-key", begin: []string{"xai-"}, rest: base62 + `{80}`, source: "docs.x.ai"},
	{id: "yandex-api-key", begin: []string{"AQVN"}, rest: url64 + `{35,38}`, source: "yandex.cloud/docs/iam: API keys"},
}
