import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

/** What is thrown for parameters that are wrong: the client reads the message. */
export const invalidParams = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message)
