/** Headers of the client's request that tool calls carry: `mcp.forwardHeaders`. */
import type { Explanations } from './explanation.ts'

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
