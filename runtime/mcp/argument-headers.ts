/** Headers that no argument of a tool sets, whatever the catalogue says: they say who is asking or whence, or belong to the
 *  connection. Source: house.md, A tool's arguments; RFC 9110, 7.6.1 (connection). */
import { credentialHeaderNames } from './credentials.ts'

const names: ReadonlySet<string> = new Set([
  ...credentialHeaderNames,
  'proxy-authorization',
  // set by proxies
  'host',
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-url',
  'x-rewrite-url',
  'x-remote-user',
  'remote-user',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  // of the connection and its framing
  'connection',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Whether an argument may set the header; `name` is lower case. */
export const mayBeArgument = (name: string): boolean =>
  !names.has(name) && !/^(x-forwarded|proxy|x-acmcp)-/.test(name)
