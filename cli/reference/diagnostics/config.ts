/** What the reference says of what `app/config.ts` exports: addresses that something else has, and headers that tool calls carry. */
import type { Explanations } from './explanation.ts'

const at = (path: string): string => `/**
 * Lists connections.
 *
 * @get ${path}
 */
list(): string[] { return [] }`

const below = (path: string): string => `// app/config.ts
import { defineApp } from 'acmcp'

export const config = defineApp({ mcp: { path: '${path}' } })
// app/controllers/notes.ts
import { Controller } from 'acmcp'

/**
 * Notes of the user.
 *
 * @base /api/notes
 */
export class Notes extends Controller {
  /**
   * Lists all notes.
   *
   * @get /
   */
  index(): string[] { return [] }
}`

export const aboutAddresses: Explanations = {
  ACM327: {
    meaning:
      'Sign-in, OAuth and the MCP endpoint have addresses of their own: the router takes a method of a path once. An address that ends with a variable, such as `/auth/:provider`, is one for any name of the variable.',
    wrong: `// app/controllers/connections.ts
import { Controller } from 'acmcp'

/**
 * Connections of the user.
 *
 * @base /auth
 */
export class Connections extends Controller {
${at('/connections').replace(/^/gm, '  ')}
}`,
    right: `// app/controllers/connections.ts
import { Controller } from 'acmcp'

/**
 * Connections of the user.
 *
 * @base /api
 */
export class Connections extends Controller {
${at('/connections').replace(/^/gm, '  ')}
}`,
  },
  ACM328: {
    meaning:
      "Each toolbox has an MCP endpoint of its own, below that of all. A route of the application at that address is served there, for its own verb: with `mcp.path: '/api'`, GET /api/notes is the route and no endpoint of the toolbox `notes`.",
    wrong: below('/api'),
    right: below('/mcp'),
  },
  ACM329: {
    meaning:
      'The build, the start and `acmcp` itself look for `config` in `app/config.ts`. A default export has no name.',
    wrong: `// app/config.ts
import { defineApp } from 'acmcp'

export default defineApp({})
// app/controllers/notes.ts
import { Controller } from 'acmcp'

/** Notes of the user. */
export class Notes extends Controller {
  /**
   * Lists all notes.
   *
   * @get /
   */
  index(): string[] { return [] }
}`,
    right: `// app/config.ts
import { defineApp } from 'acmcp'

export const config = defineApp({})
// app/controllers/notes.ts
import { Controller } from 'acmcp'

/** Notes of the user. */
export class Notes extends Controller {
  /**
   * Lists all notes.
   *
   * @get /
   */
  index(): string[] { return [] }
}`,
  },
}

/** Headers of the client's request that tool calls carry: `mcp.forwardHeaders`. */
const filter = `/** @filter before */
inClinic(clinic: Header<'X-Clinic'> = 'main'): void { void clinic }

/**
 * Lists orders.
 *
 * @get /
 */
index(): string[] { return [] }
`

const sample = (names: string): string =>
  `${filter}// app/config.ts\nimport { defineApp } from 'acmcp'\n\nexport const config = defineApp({ mcp: { forwardHeaders: [${names}] } })`

export const aboutHeaders: Explanations = {
  ACM161: {
    meaning:
      'A tool call is a request of its own. It carries the credentials of its client and the headers that you name, but never those that say who calls or which way a request came, that speak of one message alone, or that belong to MCP: a client, or a proxy, would speak for another request.',
    wrong: sample("'X-Forwarded-For'"),
    right: sample("'X-Clinic'"),
  },
  ACM162: {
    meaning:
      'Over HTTP the filter reads the header, in a tool call it sees its default: if it names the tenant, what is read and written there is that of the wrong one. Name the header in `mcp.forwardHeaders`, or put the tenant into the path, where models and people see it.',
    wrong: sample(''),
    right: sample("'X-Clinic'"),
  },
}
