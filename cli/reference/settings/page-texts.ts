/** What the settings of our own pages mean, by path. */

export const pageTexts: Readonly<Record<string, { readonly meaning: string; readonly example: string }>> = {
  'pages.mcp': {
    meaning:
      'Whether a browser at the address of the MCP endpoint gets a page: how to connect a client, and to who may use the endpoint its tools, to read and to try. Without it a browser gets what an API client gets. The page signs in as a client of its own, which is there only while the page is.',
    example: 'false',
  },
  'pages.root': {
    meaning:
      'Whether a browser gets a page at `/` that says what is served and what to do next: in development alone, and where the application has no route there.',
    example: 'false',
  },
}
