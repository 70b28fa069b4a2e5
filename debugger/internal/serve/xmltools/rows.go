package xmltools

import (
	"github.com/triptych-mcp/triptych/mcp"
)

// Tools returns the rows of the group.
func (t *Group) Tools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "xpath_query", Title: "XPath query", Scope: scopeDocumentRead, Hints: mcp.ReadOnly, Task: mcp.TaskWhenSlow,
			LookUp: "it reads documents, which every caller with the scope may read",
			Doc:    "Evaluate an XPath expression on an XML document",
			Call:   mcp.Typed(t.xpathQuery),
		},
		{
			Name: "validate_schema", Title: "Validate against a schema", Scope: scopeDocumentRead, Hints: mcp.ReadOnly, Task: mcp.TaskWhenSlow,
			LookUp: "it reads documents, which every caller with the scope may read",
			Doc:    "Check an XML document against a W3C XML Schema and list every violation",
			Call:   mcp.Typed(t.validateSchema),
		},
		{
			Name: "cache_stats", Title: "Document cache", Scope: scopeDocumentRead, Hints: mcp.ReadOnly,
			LookUp: "it reads documents, which every caller with the scope may read",
			Doc:    "Show contents and hit rate of the cache of XML documents",
			Call:   mcp.Typed(t.cacheStats),
		},
		{
			Name: "preload_documents", Title: "Preload documents", Scope: scopeDocumentWrite, Hints: mcp.Idempotent, Task: mcp.TaskWhenSlow,
			Doc:  "Load XML documents into the cache ahead of queries",
			Call: mcp.Typed(t.preloadDocuments),
		},
	}
}
