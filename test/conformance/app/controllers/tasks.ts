import { setTimeout as delay } from 'node:timers/promises'
import { Conflict, InputRequired, type Int32, type Rendered } from 'acmcp'
import { Application } from '../application.ts'

/**
 * What the suite runs as tasks.
 */
export class Tasks extends Application {
  /**
   * Greets somebody.
   *
   * @post /greet
   * @produces text/plain
   * @mcp root name=greet
   * @param name - whom
   */
  greet(name: string): string {
    return `Hello, ${name}!`
  }

  /**
   * Computes for a while.
   *
   * @post /slow
   * @mcp root task name=slow_compute
   * @param seconds - how long
   * @param label - what it is for
   */
  async slow(seconds: Int32, label = ''): Promise<string> {
    await delay(seconds * 1000, null, { signal: this.request.signal })
    return `computed for ${seconds} seconds ${label}`
  }

  /**
   * Always fails.
   *
   * @post /failing
   * @mcp root task=required name=failing_job
   */
  failing(): string {
    throw new Conflict('This job always fails')
  }

  /**
   * Ends with an error of the protocol.
   *
   * @post /protocol-error
   * @mcp root task name=protocol_error_job
   */
  protocolError(): string {
    this.mcp?.requireCapability('roots')
    return 'the client has roots'
  }

  /**
   * Deletes a file when its user agrees.
   *
   * @post /confirm
   * @mcp root task name=confirm_delete
   * @param filename - which one
   */
  confirm(filename: string): string {
    return `${filename}: ${JSON.stringify(this.requested('confirm', confirmSchema))}`
  }

  /**
   * Asks its user two things at once.
   *
   * @post /multi
   * @mcp root task name=multi_input
   */
  multi(): string {
    const [first, second] = ['first', 'second'].map((name) => this.mcp?.answerTo(name) ?? null)
    if (first === null || second === null) {
      const question = { message: 'What is your name?', schema: nameSchema }
      throw new InputRequired({ first: question, second: question })
    }
    return JSON.stringify([first, second])
  }

  /**
   * Asks its user for a name, and works for a while then.
   *
   * @post /with-task
   * @returns 202
   * @mcp root name=test_tool_with_task
   */
  withTask(): Rendered {
    const { content } = Object(this.requested('user_name', nameSchema))
    this.response.set('Location', `/tasks/work/${encodeURIComponent(content?.name)}`)
    return this.head(202)
  }

  /**
   * What came of that.
   *
   * @get /work/:name
   * @produces text/plain
   * @mcp hide
   * @param name - whose
   */
  work(name: string): string {
    return `the work of ${name} is done`
  }

  private requested(name: string, schema: Readonly<Record<string, unknown>>): unknown {
    const answer = this.mcp?.answerTo(name) ?? null
    if (answer === null) throw new InputRequired({ [name]: { message: `Your ${name}?`, schema } })
    return answer
  }
}

const nameSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const confirmSchema = {
  type: 'object',
  properties: { confirm: { type: 'boolean' } },
  required: ['confirm'],
}
