/** The routes of the notes application, as its comments say. */
import type { GuardedRoute } from './oracle.ts'

const read = 'notes:read'
const write = 'notes:write'
const share = 'notes:share'
const audit = 'notes:audit'

function route(
  id: string,
  [method, url]: readonly [GuardedRoute['method'], string],
  needs: readonly string[],
  other: Partial<GuardedRoute> = {},
): GuardedRoute {
  return { id, method, url, needs, unless: [], isFiltered: false, isPolite: false, requests: [], ...other }
}

const filtered = { isFiltered: true }

export const routes: readonly GuardedRoute[] = [
  route('notes_index', ['GET', '/notes/'], [read]),
  route('notes_create', ['POST', '/notes/'], [write]),
  route('notes_move', ['POST', '/notes/move'], [write, share]),
  route('notes_clear', ['DELETE', '/notes/all'], ['notes:delete']),
  route('notes_admin', ['GET', '/notes/admin'], ['notes:admin']),
  route('notes_about', ['GET', '/notes/about'], []),
  route('changes_index', ['GET', '/changes/'], [audit]),
  route('changes_compared', ['GET', '/changes/compared'], [read, audit]),
  route('changes_kept', ['GET', '/changes/kept'], []),
  route('guests_session', ['GET', '/guests/session'], [read], { ...filtered, unless: ['session'] }),
  route('guests_key', ['GET', '/guests/key'], [read], { ...filtered, unless: ['key'] }),
  route('guests_both', ['GET', '/guests/both'], [read, share], { ...filtered, unless: ['session', 'key'] }),
  route('guests_me', ['GET', '/guests/me'], [], filtered),
  route('polite_index', ['GET', '/polite/'], [share], { isPolite: true }),
  route('polite_earned', ['GET', '/polite/earned'], [read], { isPolite: true, requests: [share] }),
]

export const sockets: readonly GuardedRoute[] = [
  route('notes_live', ['GET', '/notes/live'], [read]),
  route('guests_live', ['GET', '/guests/live'], [read], { ...filtered, unless: ['session'] }),
]
