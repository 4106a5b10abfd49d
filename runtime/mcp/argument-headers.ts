/** Headers that no argument of a tool sets, whatever the catalogue says: they say who is asking or whence, or belong to the
 *  connection. Source: house.md, A tool's arguments. */
import { isCallerHeader } from '../caller-headers.ts'

/** Whether an argument may set the header. */
export const mayBeArgument = (name: string): boolean =>
  !isCallerHeader(name) && !name.toLowerCase().startsWith('x-acmcp-')
