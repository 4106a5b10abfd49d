/** What the reference says of mistakes in tasks. */
import type { Explanations } from './explanation.ts'

const exports = (tags: string): string => `/**
 * Writes all orders of a year into a file.
 *
 * @post /exports
${tags}
 * @param year - of which year
 */
start(year: number): string { return \`\${year}.csv\` }`

export const aboutTasks: Explanations = {
  ACM310: {
    meaning:
      'A task is what the call of a tool becomes: the client gets an id, and comes back for the result. A route that is hidden, takes files, or answers events is no tool, so nobody could start the task.',
    wrong: exports(' * @mcp hide\n * @mcp task'),
    right: exports(' * @mcp task'),
  },
}
