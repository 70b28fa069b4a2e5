package release

const serverSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

type serverJSON struct {
	Schema      string    `json:"$schema"`
	Name        string    `json:"name"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Version     string    `json:"version"`
	WebsiteURL  string    `json:"websiteUrl"`
	Repository  Source    `json:"repository"`
	Packages    []Package `json:"packages"`
	Remotes     []Remote  `json:"remotes,omitempty"`
}

// A Package is a way to get and start the program, in a server.json.
type Package struct {
	Type       string            `json:"registryType"`
	Identifier string            `json:"identifier"`
	Version    string            `json:"version,omitempty"`
	SHA256     string            `json:"fileSha256,omitempty"`
	Transport  map[string]string `json:"transport"`
}

// stdio is the transport of a program that a host starts.
func stdio() map[string]string { return map[string]string{"type": "stdio"} }

// Bundle returns the package of an MCP bundle, with its SHA-256 in hexadecimal.
func Bundle(url, version, sum string) Package {
	return Package{Type: "mcpb", Identifier: url, Version: version, SHA256: sum, Transport: stdio()}
}

// Template returns the endpoint of a server whose address the host has to ask for.
func Template() Remote {
	r := Endpoint("https://{host}/mcp")
	r.Variables = map[string]variable{"host": {
		Description: "The name of your server, and its port if that is not 443", Required: true, Placeholder: "rules.example.com:8443",
	}}
	return r
}

// ServerJSON returns the server.json of the program for registries: its image, more packages,
// and endpoints. It follows the schema of 2025-12-11.
func ServerJSON(p Program, packages []Package, remotes ...Remote) ([]byte, error) {
	return Indented(serverJSON{
		Schema: serverSchema, Name: Name, Title: Title, Description: p.Description, Version: p.Version,
		WebsiteURL: Repository, Repository: NewSource(),
		Packages: append([]Package{{Type: "oci", Identifier: Image + ":" + p.Version, Transport: stdio()}}, packages...),
		Remotes:  remotes,
	})
}
