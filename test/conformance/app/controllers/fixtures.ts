import { setTimeout as delay } from 'node:timers/promises'
import { Conflict, type Rendered, toolResult } from 'acmcp'
import { Asking, nameSchema } from '../asking.ts'
import { png, wav } from '../media.ts'

/**
 * The tools that the official suite calls by name.
 *
 * @mcp skill Use it when the suite runs.
 *
 * @base /test
 */
export class Fixtures extends Asking {
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
   * Tells listening clients what a new build tells them.
   *
   * @post /trigger-prompt-change
   * @mcp root
   * @mcp name=test_trigger_prompt_change
   */
  triggerPromptChange(): string {
    this.services.publish('new-build', null)
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
}
