import { InputRequired, type PromptMessage } from 'acmcp'
import { Application } from './application.ts'
import { png } from './media.ts'

/** The prompts and resources that the official suite asks for by name. */
export abstract class Offered extends Application {
  /**
   * A prompt without arguments.
   *
   * @mcp prompt
   * @mcp name=test_simple_prompt
   */
  simplePrompt(): string {
    return 'This is a simple prompt for testing.'
  }

  /**
   * A prompt with two arguments.
   *
   * @mcp prompt
   * @mcp name=test_prompt_with_arguments
   * @param arg1 - the first
   * @param arg2 - the second
   */
  promptWithArguments(arg1: string, arg2: string): string {
    return `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`
  }

  /**
   * What the first argument may be.
   *
   * @complete arg1 of=promptWithArguments
   */
  firstArguments(arg1: string): string[] {
    return ['testValue1', 'testValue2'].filter((value) => value.startsWith(arg1))
  }

  /**
   * A prompt with a resource in it.
   *
   * @mcp prompt
   * @mcp name=test_prompt_with_embedded_resource
   * @param resourceUri - which resource
   */
  promptWithEmbeddedResource(resourceUri: string): PromptMessage[] {
    const resource = {
      uri: resourceUri,
      mimeType: 'text/plain',
      text: 'Embedded resource content for testing.',
    }
    return [
      { role: 'user', content: { type: 'resource', resource } },
      { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
    ]
  }

  /**
   * A prompt with an image in it.
   *
   * @mcp prompt
   * @mcp name=test_prompt_with_image
   */
  promptWithImage(): PromptMessage[] {
    return [
      { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
      { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
    ]
  }

  /**
   * A prompt that asks its user first.
   *
   * @mcp prompt
   * @mcp name=test_input_required_result_prompt
   */
  inputRequiredResultPrompt(): string {
    const answer = this.mcp?.answerTo('user_context') ?? null
    const schema = { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] }
    if (answer === null)
      throw new InputRequired({ user_context: { message: 'What is the context?', schema } })
    return `Use the context ${JSON.stringify(answer)}.`
  }

  /**
   * A text that stays as it is.
   *
   * @get /static-text
   * @mcp resource uri=test://static-text
   * @mcp hide
   * @produces text/plain
   */
  staticText(): string {
    return 'This is the content of the static text resource.'
  }

  /**
   * A red pixel that stays as it is.
   *
   * @get /static-binary
   * @mcp resource uri=test://static-binary
   * @mcp hide
   * @produces image/png
   */
  staticBinary(): Blob {
    return new Blob([new Uint8Array(png)])
  }

  /**
   * The data of one id.
   *
   * @get /template/:id/data
   * @mcp resource uri=test://template/{id}/data
   * @mcp hide
   * @param id - which
   */
  templateData(id: string): { id: string; templateTest: boolean; data: string } {
    return { id, templateTest: true, data: `Data for ID: ${id}` }
  }
}
