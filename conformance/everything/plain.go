package everything

import (
	"context"

	"github.com/triptych-mcp/triptych/mcp"
)

// plainTools work the same in every revision.
func (f *fixture) plainTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "test_simple_text", Doc: "Answers with a text", Hints: mcp.ReadOnly,
			Call: constant(mcp.Text("This is a simple text response for testing.")),
		},
		{
			Name: "test_image_content", Doc: "Answers with an image", Hints: mcp.ReadOnly,
			Call: constant(mcp.Image(png, "image/png")),
		},
		{
			Name: "test_audio_content", Doc: "Answers with a sound", Hints: mcp.ReadOnly,
			Call: constant(mcp.Audio(wav, "audio/wav")),
		},
		{
			Name: "test_embedded_resource", Doc: "Answers with an embedded resource", Hints: mcp.ReadOnly,
			Call: constant(mcp.Embedded(mcp.Contents{
				URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
			})),
		},
		{
			Name: "test_multiple_content_types", Doc: "Answers with a text, an image and a resource", Hints: mcp.ReadOnly,
			Call: constant(mcp.Text("Multiple content types test:"), mcp.Image(png, "image/png"), mcp.Embedded(mcp.Contents{
				URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`,
			})),
		},
		{
			Name: "test_error_handling", Doc: "Fails", Hints: mcp.ReadOnly,
			Call: call(func(context.Context, *mcp.Call) (*mcp.Result, error) { return nil, mcp.ToolError(errIntended) }),
		},
		{Name: "test_tool_with_progress", Doc: "Reports progress", Hints: mcp.ReadOnly, Call: call(withProgress)},
		{Name: "json_schema_2020_12_tool", Doc: "Has a schema with many keywords", Hints: mcp.ReadOnly, Call: mcp.Raw(richSchema, anything)},
		{Name: "test_x_mcp_header", Doc: "Has arguments that headers repeat", Hints: mcp.ReadOnly, Call: mcp.Raw(headerSchema, anything)},
	}
}

func withProgress(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	for _, progress := range []float64{0, 50, 100} {
		c.Progress(ctx, progress, 100, "")
		if err := pause(ctx, pace+pace/5); err != nil { // a little more than what is left out
			return nil, err
		}
	}
	return text("Progress reported."), nil
}

func anything(context.Context, *mcp.Call, []byte) (*mcp.Result, error) { return text("ok"), nil }

const headerSchema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`

const richSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
	`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
	`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},` +
	`"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},` +
	`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
	`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},` +
	`"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`
