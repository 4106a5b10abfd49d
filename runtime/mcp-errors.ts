/** Exceptions for the MCP client that called a route. Public through `errors.ts`. */
import type { ElicitedQuestion, InputQuestion } from './contract/mcp.ts'
import type { QuestionSchemas } from './contract/route.ts'

/** Raised for the MCP client that called a route as a tool: no exception handler sees it then. Over HTTP it is an ordinary
 *  exception. */
export abstract class ForMcpClient extends Error {}

/** Asks the user of the model for input, by name. A text asks for the `Elicited` parameter of that name; what else may be asked:
 *  templates/docs/questions.md. The route is called again with the answers and with `state` (JSON, signed but readable). */
// Source: MCP 2026-07-28, multi round-trip requests.
export class InputRequired extends ForMcpClient {
  declare readonly code: 'input_required'
  declare readonly status: 422
  readonly questions: Readonly<Record<string, InputQuestion>>
  readonly state: unknown
  #schemas: QuestionSchemas = {}
  constructor(questions: Readonly<Record<string, InputQuestion>>, state: unknown = null) {
    super('input of the user is required')
    this.questions = questions
    this.state = state
  }

  /** The same error, raised by the route; another where it asks for a parameter that the route does not have. */
  raisedBy({ id, questions = {} }: Asking): Error {
    const unknown = Object.entries(this.questions).find(
      ([name, question]) => typeof question === 'string' && !Object.hasOwn(questions, name),
    )
    if (unknown !== undefined) {
      const message = `${id}: InputRequired asks for '${unknown[0]}', and the method has no parameter ${unknown[0]}?: Elicited<…>`
      return new Error(message, { cause: this })
    }
    this.#schemas = questions
    return this
  }

  /** The questions, each with its schema, address or request. */
  get elicited(): Readonly<Record<string, ElicitedQuestion>> {
    const full = ([name, question]: [string, InputQuestion]): [string, ElicitedQuestion] =>
      typeof question === 'string'
        ? [name, { message: question, schema: this.#schemas[name] ?? {} }]
        : [name, question]
    return Object.fromEntries(Object.entries(this.questions).map(full))
  }
}

/** What is asked of a route. */
interface Asking {
  readonly id: string
  readonly questions?: QuestionSchemas
}

/** The user was asked, and would not answer. */
export class InputDeclined extends ForMcpClient {
  constructor(name: string, action: 'decline' | 'cancel') {
    super(`the user ${action === 'decline' ? 'declined' : 'dismissed'} the question '${name}'`)
  }
}

/** The MCP client lacks a capability that the tool needs. */
export class CapabilityRequired extends ForMcpClient {
  readonly capability: string
  constructor(capability: string) {
    super(`the client must declare the capability '${capability}'`)
    this.capability = capability
  }
}
