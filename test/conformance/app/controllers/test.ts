import { setTimeout as delay } from 'node:timers/promises'
import { Conflict, InputRequired, type Rendered, toolResult } from 'acmcp'
import { png, wav } from '../media.ts'
import { Offered } from '../offered.ts'

/**
 * The tools that the official suite calls by name.
 *
 * @mcp skill Use it when the suite runs.
 */
export class Test extends Offered {
  /**
   * Answers with one simple text.
   *
   * @get /simple-text
   * @produces text/plain
   * @mcp root
   * @mcp name=test_simple_text
   */
  simpleText(): string {
    return 'This is a simple text response for testing.'
  }

  /**
   * Answers with one red pixel as a PNG image.
   *
   * @get /image-content
   * @mcp root
   * @mcp name=test_image_content
   */
  imageContent(): Rendered {
    return this.render({ body: png, contentType: 'image/png' })
  }

  /**
   * Answers with a moment of silence as WAV audio.
   *
   * @get /audio-content
   * @mcp root
   * @mcp name=test_audio_content
   */
  audioContent(): Rendered {
    return this.render({ body: wav, contentType: 'audio/wav' })
  }

  /**
   * Answers with a text resource inside the result.
   *
   * @get /embedded-resource
   * @mcp root
   * @mcp name=test_embedded_resource
   */
  embeddedResource(): Rendered {
    const text = 'This is an embedded resource content.'
    return toolResult([
      { type: 'resource', resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text } },
    ])
  }

  /**
   * Answers with text, an image and a resource in one result.
   *
   * @get /multiple-content-types
   * @mcp root
   * @mcp name=test_multiple_content_types
   */
  multipleContentTypes(): Rendered {
    const resource = {
      uri: 'test://mixed-content-resource',
      mimeType: 'application/json',
      text: '{"test":"data","value":123}',
    }
    return toolResult([
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: png, mimeType: 'image/png' },
      { type: 'resource', resource },
    ])
  }

  /**
   * Always answers with an error.
   *
   * @get /error-handling
   * @mcp root
   * @mcp name=test_error_handling
   */
  errorHandling(): string {
    throw new Conflict('This tool intentionally returns an error for testing')
  }

  /**
   * Reports its progress three times, fifty milliseconds apart.
   *
   * @post /tool-with-progress
   * @mcp root
   * @mcp name=test_tool_with_progress
   */
  async toolWithProgress(): Promise<string> {
    for (const done of [0, 50, 100]) {
      this.mcp?.progress(done, 100, `Completed step ${done} of 100`)
      if (done < 100) await delay(50)
    }
    return 'done'
  }

  /**
   * Needs a client that can sample, and answers when it is one.
   *
   * @post /missing-capability
   * @mcp root
   * @mcp name=test_missing_capability
   */
  missingCapability(): string {
    this.mcp?.requireCapability('sampling')
    return 'the client can sample'
  }

  /**
   * Asks the user for a name and greets.
   *
   * @post /streaming-elicitation
   * @mcp root
   * @mcp name=test_streaming_elicitation
   */
  streamingElicitation(): string {
    return `Hello ${JSON.stringify(this.answer('name', 'What is your name?', nameSchema))}`
  }

  /**
   * Works without writing a log to the client.
   *
   * @post /logging-tool
   * @mcp root
   * @mcp name=test_logging_tool
   */
  loggingTool(): string {
    return 'nothing was logged to the client'
  }

  /**
   * Tells listening clients that the list of tools has changed.
   *
   * @post /trigger-tool-change
   * @mcp root
   * @mcp name=test_trigger_tool_change
   */
  triggerToolChange(): string {
    this.mcp?.toolsChanged()
    return 'told'
  }

  /**
   * Greets a tenant whose name gateways can read in a header.
   *
   * @get /mirrored-header
   * @param tenant - the tenant's name
   * @mcp root
   * @mcp name=test_mirrored_header
   * @mcp header tenant=Tenant
   */
  mirroredHeader(tenant: string): string {
    return `Hello ${tenant}`
  }

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

  private confirmed(state: string): string {
    const answer = this.mcp?.answerTo('confirm') ?? null
    if (answer !== null && this.mcp?.state === state) return `state-ok ${JSON.stringify(answer)}`
    throw new InputRequired({ confirm: { message: 'Please confirm', schema: confirmSchema } }, state)
  }

  private answer(name: string, message: string, schema: Readonly<Record<string, unknown>>): unknown {
    const answer = this.mcp?.answerTo(name) ?? null
    if (answer === null) throw new InputRequired({ [name]: { message, schema } })
    return answer
  }
}

const nameSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const colourSchema = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] }
const confirmSchema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
