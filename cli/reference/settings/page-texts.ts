/** What the settings of our own pages mean, by path. */

export const pageTexts: Readonly<Record<string, { readonly meaning: string; readonly example: string }>> = {
  'pages.docs': {
    meaning:
      'Whether a browser gets the OpenAPI document at `/docs`, to read and to try, where the application has no route there. It is shown by `@scalar/fastify-api-reference`, which you install: `npm install "@scalar/fastify-api-reference@~1.44.9"`. Without the setting the page is there in development once that is installed, and not in production; with `true` a server without it does not start.',
    example: 'true',
  },
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
