/** In what form a client takes the answer to a message. MCP asks clients to name both; what RFC 9110 makes of what they name is
 *  enough. Source: MCP 2025-11-25, Streamable HTTP, Sending messages; RFC 9110, 12.5.1; rules.md, Accept of a message. */
import type { HeaderMap } from '../../contract/http.ts'
import { negotiate } from '../../http/output/negotiate.ts'

export interface AcceptedForms {
  readonly json: boolean
  readonly stream: boolean
}

const usual = 'application/json, text/event-stream'
const both: AcceptedForms = { json: true, stream: true }

export function acceptedForms({ accept }: HeaderMap): AcceptedForms {
  if (accept === usual) return both
  const text = accept === undefined ? null : [accept].flat().join(', ')
  const takes = (type: string): boolean => negotiate(text, [type]) !== null
  return { json: takes('application/json'), stream: takes('text/event-stream') }
}

/** The head of a message for the SDK, which wants both forms named: it judges where neither is taken. */
export const acceptForSdk = (headers: HeaderMap): HeaderMap[string] => {
  const { json, stream } = acceptedForms(headers)
  return json || stream ? usual : headers.accept
}

/** Whether a client names a stream: any answer is a good one to `*` + `/*`, but one without an end. */
export const namesStream = ({ accept }: HeaderMap): boolean => {
  const text = [accept ?? ''].flat().join(', ')
  return /text\/event-stream/i.test(text) && negotiate(text, ['text/event-stream']) !== null
}
