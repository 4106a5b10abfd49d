/** `generated/client.ts` of a compilation, without what makes the calls: that is no part of the application. */
import { emitClient } from '../../../cli/capabilities/client/client.ts'
import type { CompileOptions } from '../../../cli/compiler/compile.ts'

export const withClient: Pick<CompileOptions, 'more'> = clientWith('')

/** The same with the text that makes the calls. */
export function clientWith(transport: string): Pick<CompileOptions, 'more'> {
  return { more: [{ path: 'generated/client.ts', print: (model) => emitClient(model, transport) }] }
}
