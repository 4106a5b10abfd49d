/** The bodies that the recommended handlers answer with. See templates/docs/errors.md. */
// Source: rules.md, Error response structs.
import type { InputForm, InputUrl } from '../../contract/mcp.ts'
import type { InputRequired, ParamError, RouteError } from '../../errors.ts'

/** `error` and, unless switched off, `backtrace` (one line per frame). */
export class CommonResponse {
  readonly error: string
  readonly backtrace?: readonly string[]
  constructor(error: Error, options: { readonly backtrace?: boolean } = {}) {
    this.error = error.message
    if (options.backtrace !== false)
      this.backtrace = (error.stack ?? '').split('\n').map((line) => line.trim())
  }
}

/** `error`, `parameter`, `restriction`. */
export class ParameterResponse {
  readonly error: string
  readonly parameter: string
  readonly restriction: string
  constructor(error: ParamError) {
    this.error = error.message
    this.parameter = error.parameter
    this.restriction = error.restriction
  }
}

/** `error`, `accepts`. */
export class ContentResponse {
  readonly error: string
  readonly accepts: readonly string[]
  constructor(error: RouteError) {
    this.error = error.message
    this.accepts = error.accepts
  }
}

/** `error`, and the questions by name: a form's `message` and `schema`, an address' `message` and `url`. What only an MCP client can
 *  answer (sampling, roots) is left out. */
export class InputResponse {
  readonly error: string
  readonly questions: Readonly<Record<string, InputForm | InputUrl>>
  constructor(error: InputRequired) {
    this.error = error.message
    const forUsers = Object.entries(error.elicited).flatMap(([name, question]) =>
      'method' in question ? [] : [[name, question] as const],
    )
    this.questions = Object.fromEntries(forUsers)
  }
}
