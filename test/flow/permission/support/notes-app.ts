/** A stranger's application that guards its routes in every way there is: one scope and two, a class's and a method's, implied,
 *  sensitive, of some users only, let past with a session or a key, answered by a handler of its own, sockets, and none. */
import { builtFolder } from '../../../support/linked.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Notes' },
  scopes: {
    'notes:read': 'See your notes',
    'notes:write': { text: 'Add and change notes', implies: ['notes:read'] },
    'notes:share': 'Share notes',
    'notes:delete': { text: 'Delete notes', sensitive: true },
    'notes:audit': { text: 'See who changed what', sensitive: true },
    'notes:admin': { text: 'Manage users', sensitive: true, mayHave: ({ id }) => id === 'dev:root' },
  },
})
`

const base = `import { Controller } from 'acmcp'

export interface Seen { did: string; by: string; scopes: string[] }

export abstract class Base extends Controller {
  protected seen(did: string): Seen {
    return { did, by: this.access?.user.id ?? 'nobody', scopes: [...(this.access?.scopes ?? [])] }
  }
}

/** @scope notes:audit */
export abstract class Audited extends Base {
  /**
   * Lists changes.
   *
   * @get /
   */
  index(): Seen { return this.seen('changes_index') }
}
`

const notes = `import type { Socket } from 'acmcp'
import { Audited, Base, type Seen } from '../base.ts'

/** Notes. */
export class Notes extends Base {
  /**
   * Lists notes.
   *
   * @get /
   * @scope notes:read
   */
  index(): Seen { return this.seen('notes_index') }

  /**
   * Adds a note.
   *
   * @post /
   * @scope notes:write
   */
  create(): Seen { return this.seen('notes_create') }

  /**
   * Moves a note to somebody else.
   *
   * @post /move
   * @scope notes:share notes:write
   */
  move(): Seen { return this.seen('notes_move') }

  /**
   * Deletes all notes.
   *
   * @delete /all
   * @scope notes:delete
   */
  clear(): Seen { return this.seen('notes_clear') }

  /**
   * Manages users.
   *
   * @get /admin
   * @scope notes:admin
   */
  admin(): Seen { return this.seen('notes_admin') }

  /**
   * Tells how it is.
   *
   * @get /about
   */
  about(): Seen { return this.seen('notes_about') }

  /**
   * Tells what happens.
   *
   * @websocket /live
   * @scope notes:read
   */
  live(socket: Socket): void { socket.send(JSON.stringify(this.seen('notes_live'))) }
}

/** Changes. */
export class Changes extends Audited {
  /**
   * Compares a note with what it was.
   *
   * @get /compared
   * @scope notes:read
   */
  compared(): Seen { return this.seen('changes_compared') }

  /**
   * Tells for how long changes are kept.
   *
   * @get /kept
   * @scope none
   */
  kept(): Seen { return this.seen('changes_kept') }
}
`

const guests = `import { type Forbidden, type Socket, Unauthorized } from 'acmcp'
import { Base, type Seen } from '../base.ts'

abstract class Known extends Base {
  /** @filter before */
  async known(): Promise<void> {
    if (this.access !== null || this.request.headers['x-api-key'] === 'k1') return
    if ((await this.services.userOfSession(this.request.session)) === null) throw new Unauthorized()
  }

  /** @exception {Unauthorized} 401 */
  stranger(_error: Unauthorized): { error: string } { return { error: 'stranger' } }
}

/** Notes for guests. */
export class Guests extends Known {
  /**
   * Lists notes for a browser.
   *
   * @get /session
   * @scope notes:read unless=session
   */
  session(): Seen { return this.seen('guests_session') }

  /**
   * Lists notes for a script.
   *
   * @get /key
   * @scope notes:read unless=key
   */
  key(): Seen { return this.seen('guests_key') }

  /**
   * Lists notes for both.
   *
   * @get /both
   * @scope notes:read notes:share unless=session,key
   */
  both(): Seen { return this.seen('guests_both') }

  /**
   * Tells who asks.
   *
   * @get /me
   * @scope none
   */
  me(): Seen { return this.seen('guests_me') }

  /**
   * Tells a browser what happens.
   *
   * @websocket /live
   * @scope notes:read unless=session
   */
  live(socket: Socket): void { socket.send(JSON.stringify(this.seen('guests_live'))) }
}

/** Notes that say no in their own words. */
export class Polite extends Base {
  /**
   * Lists shared notes.
   *
   * @get /
   * @scope notes:share
   */
  index(): Seen { return this.seen('polite_index') }

  /**
   * Lists notes of those who have earned it.
   *
   * @get /earned
   * @scope notes:read
   */
  earned(): Seen {
    this.requireScopes('notes:share')
    return this.seen('polite_earned')
  }

  /** @exception {Forbidden} 418 */
  sorry(_error: Forbidden): { sorry: string } {
    this.response.set('www-authenticate', 'Basic')
    return { sorry: 'not for you' }
  }
}
`

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"notes","version":"1.2.3","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/base.ts': base,
  'app/controllers/notes.ts': notes,
  'app/controllers/guests.ts': guests,
}

/** Builds it in a folder of its own, as a user would, so that `@scope` is read; answers the folder. */
export function buildNotes(): Promise<string> {
  return builtFolder(files)
}
