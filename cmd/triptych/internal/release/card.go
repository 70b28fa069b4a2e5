package release

const (
	cardSchema = "https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json"
	// CardType is the media type of a server card.
	CardType = "application/mcp-server-card+json"
	// CatalogType is the media type of a catalog of servers and agents.
	CatalogType = "application/ai-catalog+json"
)

type card struct {
	Schema      string   `json:"$schema"`
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	WebsiteURL  string   `json:"websiteUrl"`
	Repository  Source   `json:"repository"`
	Remotes     []Remote `json:"remotes"`
}

// A Remote is an endpoint of the program, in a card or a server.json.
type Remote struct {
	Type      string              `json:"type"`
	URL       string              `json:"url"`
	Headers   []header            `json:"headers,omitempty"`
	Variables map[string]variable `json:"variables,omitempty"` // of the URL
	Protocols []string            `json:"supportedProtocolVersions,omitempty"`
}

type header struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"isRequired"`
	Secret      bool   `json:"isSecret"`
}

type variable struct {
	Description string `json:"description"`
	Required    bool   `json:"isRequired"`
	Placeholder string `json:"placeholder"`
}

// Endpoint returns the endpoint at a URL.
func Endpoint(url string) Remote {
	return Remote{
		Type: "streamable-http", URL: url,
		Headers: []header{{Name: "Authorization", Description: "Bearer and a key that the server's operator made", Required: true, Secret: true}},
	}
}

// Card returns the server card (SEP-2127) of the endpoint at the URL. It names no
// tools: those are for callers with a key.
func Card(p Program, url string) ([]byte, error) {
	at := Endpoint(url)
	at.Protocols = p.Protocols
	return Indented(card{
		Schema: cardSchema, Name: Name, Version: p.Version, Title: Title, Description: p.Description,
		WebsiteURL: Repository, Repository: NewSource(), Remotes: []Remote{at},
	})
}

type catalog struct {
	Version string            `json:"specVersion"`
	Host    map[string]string `json:"host"`
	Entries []catalogEntry    `json:"entries"`
}

type catalogEntry struct {
	Identifier  string `json:"identifier"`
	DisplayName string `json:"displayName"`
	Description string `json:"description"`
	Type        string `json:"type"`
	URL         string `json:"url"`
}

// Catalog returns the AI catalog (ai-catalog.io, version 1.0) of a host: the server at
// this endpoint, by the URL of its card.
func Catalog(p Program, host, url string) ([]byte, error) {
	return Indented(catalog{Version: "1.0", Host: map[string]string{"displayName": host}, Entries: []catalogEntry{{
		Identifier: "urn:air:" + host + ":mcp:" + Title, DisplayName: Title, Description: p.Description,
		Type: CardType, URL: url + "/server-card",
	}}})
}
