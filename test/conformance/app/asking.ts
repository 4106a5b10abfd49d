import { type InputRequest, InputRequired } from 'acmcp'
import { Offered } from './offered.ts'

/** The tools that the official suite expects to ask their user. */
export abstract class Asking extends Offered {
  /**
   * Asks the user for a name in one more round trip.
   *
   * @post /input-required-result-elicitation
   * @mcp root
   * @mcp name=test_input_required_result_elicitation
   */
  inputRequiredResultElicitation(): string {
    return `Hello ${JSON.stringify(this.answer('user_name', 'What is your name?', nameSchema))}`
  }

  /**
   * Carries a state through one more round trip.
   *
   * @post /input-required-result-request-state
   * @mcp root
   * @mcp name=test_input_required_result_request_state
   */
  inputRequiredResultRequestState(): string {
    return this.confirmed('round 1')
  }

  /**
   * Refuses a state that somebody changed.
   *
   * @post /input-required-result-tampered-state
   * @mcp root
   * @mcp name=test_input_required_result_tampered_state
   */
  inputRequiredResultTamperedState(): string {
    return this.confirmed('untouched')
  }

  /**
   * Asks first for a name, then for a colour.
   *
   * @post /input-required-result-multi-round
   * @mcp root
   * @mcp name=test_input_required_result_multi_round
   */
  inputRequiredResultMultiRound(): string {
    const name = this.mcp?.answerTo('step1') ?? null
    const colour = this.mcp?.answerTo('step2') ?? null
    if (colour !== null) return `${JSON.stringify(this.mcp?.state)} ${JSON.stringify(colour)}`
    if (name === null)
      throw new InputRequired({ step1: { message: 'What is your name?', schema: nameSchema } }, 1)
    const step2 = { message: 'What is your favourite colour?', schema: colourSchema }
    throw new InputRequired({ step2 }, name)
  }

  /**
   * Asks the client's model for the capital of France.
   *
   * @post /input-required-result-sampling
   * @mcp root
   * @mcp name=test_input_required_result_sampling
   */
  inputRequiredResultSampling(): string {
    const answer = this.mcp?.answerTo('capital_question') ?? null
    if (answer === null)
      throw new InputRequired({ capital_question: sampling('What is the capital of France?', 100) })
    return JSON.stringify(answer)
  }

  /**
   * Asks the client for its roots.
   *
   * @post /input-required-result-list-roots
   * @mcp root
   * @mcp name=test_input_required_result_list_roots
   */
  inputRequiredResultListRoots(): string {
    const answer = this.mcp?.answerTo('client_roots') ?? null
    if (answer === null) throw new InputRequired({ client_roots: roots })
    return JSON.stringify(answer)
  }

  /**
   * Asks for three things at once.
   *
   * @post /input-required-result-multiple-inputs
   * @mcp root
   * @mcp name=test_input_required_result_multiple_inputs
   */
  inputRequiredResultMultipleInputs(): string {
    const names = ['user_name', 'greeting', 'client_roots']
    const answers = names.map((name) => this.mcp?.answerTo(name) ?? null)
    if (!answers.includes(null)) return JSON.stringify(answers)
    const user_name = { message: 'What is your name?', schema: nameSchema }
    throw new InputRequired(
      { user_name, greeting: sampling('Generate a greeting', 50), client_roots: roots },
      1,
    )
  }

  /**
   * Asks for whatever of two things the client can be asked.
   *
   * @post /input-required-result-capabilities
   * @mcp root
   * @mcp name=test_input_required_result_capabilities
   */
  inputRequiredResultCapabilities(): string {
    const answers = ['user_name', 'greeting'].map((text) => this.mcp?.answerTo(text) ?? null)
    const answer = answers.find((item) => item !== null) ?? null
    if (answer !== null) return JSON.stringify(answer)
    const user_name = { message: 'What is your name?', schema: nameSchema }
    throw new InputRequired({ user_name, greeting: sampling('Generate a greeting', 50) })
  }

  protected confirmed(state: string): string {
    const answer = this.mcp?.answerTo('confirm') ?? null
    if (answer !== null && this.mcp?.state === state) return `state-ok ${JSON.stringify(answer)}`
    throw new InputRequired({ confirm: { message: 'Please confirm', schema: confirmSchema } }, state)
  }

  protected answer(name: string, message: string, schema: Readonly<Record<string, unknown>>): unknown {
    const form = { message, schema }
    const answer = this.mcp?.accepted(name, form) ?? null
    if (answer === null) throw new InputRequired({ [name]: form })
    return answer
  }
}

export const nameSchema: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
}
const colourSchema = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] }
const confirmSchema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
const roots: InputRequest = { method: 'roots/list' }
const sampling = (text: string, maxTokens: number): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens },
})
