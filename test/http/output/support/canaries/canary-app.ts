/** An application that answers, at every entrance and of every drawn type, what the test hands over. */
import type { DrawnTypes } from './shapes.ts'

type Files = Readonly<Record<string, string>>

/** The methods find the value there: `answer()`. */
export const handedOver: symbol = Symbol.for('acmcp.test.canary')

/** What a tool's list may have before it is cut. */
export const cutChars = 3000

export function canaryApp({ module, answers }: DrawnTypes): Files {
  const names = answers.map((_, index) => `C${index}`)
  const types = answers.map(({ text }, index) => `export type T${index} = ${text}`)
  const budgets = names.map((name) => `'${name.toLowerCase()}_list': ${cutChars}`)
  return {
    'package.json': '{"name":"canaries","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': `import { inspect } from 'node:util'
import { defineApp } from 'acmcp'
export const config = defineApp({
  mcp: { serverName: 'Canaries', answerCharsOf: { ${budgets.join(', ')} } },
  limits: { toolCallsPerMinute: false, tasksPerUser: false, keptTasksPerUser: false },
  responders: { 'text/csv': (value) => inspect(value, { depth: null }) },
})
`,
    'app/answer.ts': `/** Wider than any type. */
export const answer = (): any => Reflect.get(globalThis, Symbol.for('acmcp.test.canary'))
`,
    'app/types.ts': module + types.join('\n'),
    ...Object.fromEntries(
      names.map((name, index) => [`app/controllers/${name.toLowerCase()}.ts`, controller(name, index)]),
    ),
  }
}

const controller = (
  name: string,
  index: number,
): string => `import { ApplicationController, type Rendered } from 'acmcp'
import { answer } from '../answer.js'
import type { T${index} } from '../types.js'

interface Message {
  role: 'user'
  content: { type: 'text'; text: string; note: T${index} }
}

export class Returned${index} extends Error {}
export class Rendered${index} extends Error {}

/**
 * Answers of one type.
 *
 * @base /${name.toLowerCase()}
 */
export class ${name} extends ApplicationController {
  /**
   * Returns it.
   *
   * @get /plain
   * @mcp root
   * @mcp resource
   */
  plain(): T${index} {
    return answer()
  }

  /**
   * Resolves with it.
   *
   * @post /later
   */
  async later(): Promise<T${index}> {
    return answer()
  }

  /**
   * Renders it.
   *
   * @get /rendered
   * @returns {T${index}} 202 soon
   */
  rendered() {
    return this.render({ status: 202, json: answer() })
  }

  /**
   * Renders it as YAML.
   *
   * @get /yaml
   * @returns {T${index}} 200 now
   */
  yaml() {
    return this.render({ yaml: answer() })
  }

  /**
   * Many of them.
   *
   * @get /list
   */
  list(offset = 0, limit = 1000): T${index}[] {
    return answer().slice(offset, offset + limit)
  }

  /**
   * Events.
   *
   * @get /events
   */
  async *events(): AsyncGenerator<T${index}> {
    yield answer()
    yield answer()
  }

  /**
   * Works on it.
   *
   * @post /worked
   * @mcp task
   */
  async worked(): Promise<T${index}> {
    return answer()
  }

  /**
   * Works in vain.
   *
   * @post /failing
   * @mcp task
   */
  failing(): T${index} {
    throw new Returned${index}('no')
  }

  /**
   * Says where to ask for it.
   *
   * @post /ordered
   * @returns 202
   */
  ordered(): Rendered {
    this.response.set('Location', '/${name.toLowerCase()}/plain')
    return this.head(202)
  }

  /**
   * Has it in a message.
   *
   * @mcp prompt
   */
  messages(): Message[] {
    return [{ role: 'user', content: { type: 'text', text: 'Look', note: answer() } }]
  }

  /**
   * Has no message.
   *
   * @mcp prompt
   */
  lost(): string {
    throw new Returned${index}('no')
  }

  /**
   * Has none either.
   *
   * @mcp prompt
   */
  shut(): string {
    throw new Rendered${index}('no')
  }

  /**
   * Fails.
   *
   * @get /failed
   */
  failed(): T${index} {
    throw new Returned${index}('no')
  }

  /**
   * Fails in another way.
   *
   * @get /closed
   * @mcp root
   * @mcp resource
   */
  closed(): T${index} {
    throw new Rendered${index}('no')
  }

  /** @exception {Returned${index}} 404 */
  onReturned(_error: Returned${index}): T${index} {
    return answer()
  }

  /**
   * @exception {Rendered${index}} 409
   * @returns {T${index}} refused
   */
  onRendered(_error: Rendered${index}) {
    return this.render({ status: 409, json: answer() })
  }
}
`
