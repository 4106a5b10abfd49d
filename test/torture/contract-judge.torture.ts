/** `node dist/test/torture/contract-judge.torture.js [pairs] [seed]`: random pairs of schemas; `json-schema-diff` and we agree on
 *  which values the other no longer lets through. `ACMCP_UPDATE_GOLDEN=1` writes what it says of the first 300, of which `npm
 *  test` reminds us. Needs the registry the first time. */
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { disagreements, type Judged } from '../cli/contract/judged.ts'
import { type Schema, schemaPairs } from '../cli/contract/random-schemas.ts'
import { installed } from '../support/installed.ts'

interface Judge {
  diffSchemas(of: {
    readonly sourceSchema: object
    readonly destinationSchema: object
  }): Promise<{ readonly additionsFound: boolean; readonly removalsFound: boolean }>
}

/** In a property: it takes no reference for a whole schema. It also changes what it is given. */
const inside = ({ definitions, ...it }: Schema): object =>
  structuredClone({
    type: 'object',
    properties: { it },
    required: ['it'],
    additionalProperties: false,
    definitions,
  })

const [pairs = 2000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const folder = installed('json-schema-diff', { 'json-schema-diff': '1.0.0' })
const judge: Judge = createRequire(`${folder}/`)('json-schema-diff')
const judged: Judged[] = []
for (const { before, after } of schemaPairs(pairs, seed, 'judged')) {
  const of = { sourceSchema: inside(before), destinationSchema: inside(after) }
  const { removalsFound, additionsFound } = await judge.diffSchemas(of)
  judged.push({ before, after, removed: removalsFound, added: additionsFound })
}
if (process.env.ACMCP_UPDATE_GOLDEN === '1')
  writeFileSync(
    'test/cli/contract/golden/judged-schemas.jsonl',
    judged
      .slice(0, 300)
      .map((one) => `${JSON.stringify(one)}\n`)
      .join(''),
  )
const wrong = disagreements(judged)
const [removals, additions] = [judged.filter(({ removed }) => removed), judged.filter(({ added }) => added)]
process.stdout.write(
  `schemas: seed ${seed}, ${pairs} pairs, ${removals.length} narrower, ${additions.length} wider, ${wrong.length} wrong\n${wrong.join('\n')}\n`,
)
process.exitCode = wrong.length === 0 ? 0 : 1
