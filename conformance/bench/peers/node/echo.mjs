// The tool echo of the official TypeScript SDK, over standard input and output.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'typescript', version: '1' });
server.registerTool(
  'echo',
  { description: 'echoes text', inputSchema: { text: z.string().describe('the text to echo') } },
  async ({ text }) => ({ content: [{ type: 'text', text }] }),
);
await server.connect(new StdioServerTransport());
