/** The application of the table, and what a deploy makes of it. */
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { builtFolder } from '../../support/linked.ts'
import type { After } from './oracle.ts'

const config = `import { defineApp } from 'acmcp'

const withheld: Set<string> = Reflect.get(globalThis, 'withheld')

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Table' },
  scopes: { act: { text: 'Act', mayHave: ({ id }) => !withheld.has(id) }, see: 'See' },
})
`

/** Each of them twice: `other` is the other route. */
const controller = (name: string, words: string): string => `import { ApplicationController } from 'acmcp'

interface Made {
  id: string
  note: string
  /** @secret */
  pin: string
}

export class Taken extends Error {}

/** Calls that may be repeated. */
export class ${name} extends ApplicationController {
  /** @exception {Taken} 409 */
  taken(error: Taken): { taken: string } { return { taken: error.message } }

  /**
   * Acts.
   *
   * @post /
   * @idempotencyKey
   * @mcp task
${words}   */
  act(what: string, how: string, count: number): Promise<Made> { return this.run(what, how, count) }

  /**
   * Acts otherwise.
   *
   * @post /other
   * @idempotencyKey
   * @mcp task
${words.includes('@scope') ? words : ''}   */
  other(what: string, how: string, count: number): Promise<Made> { return this.run(what, how, count) }

  private async run(what: string, how: string, count: number): Promise<Made> {
    const number = await Reflect.get(globalThis, 'acted')(what, how, count)
    if (how === 'handled') throw new Taken(\`taken \${number}\`)
    if (how === 'failed') throw new Error('failed')
    return { id: \`made \${number}\`, note: how === 'large' ? 'n'.repeat(300_000) : 'a note', pin: 'a pin' }
  }
}
`

const handler = / {2}\/\*\* @exception[\s\S]*?\n\n/

const deploys: Readonly<Record<After, (source: string) => string>> = {
  nothing: (source) => source,
  '25 hours': (source) => source,
  'a property is secret': (source) => source.replace('  note: string', '  /** @secret */\n  note: string'),
  'a property is added': (source) =>
    source
      .replace('  note: string', '  note: string\n  more: string')
      .replace("pin: 'a pin'", "pin: 'a pin', more: 'more'"),
  'the handler is removed': (source) => source.replace(handler, ''),
}

/** As it is after a deploy. */
export async function builtTable(after: After): Promise<AppBundle> {
  const change = deploys[after]
  const folder = await builtFolder({
    'package.json': '{"name":"table","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': config,
    'app/controllers/plain.ts': change(controller('Plain', '')),
    'app/controllers/guarded.ts': change(controller('Guarded', '   * @scope act\n')),
    'app/controllers/approved.ts': change(controller('Approved', '   * @approval Act on {what}\n')),
  })
  return loadBundle(folder)
}
