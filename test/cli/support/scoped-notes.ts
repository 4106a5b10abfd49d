/** Notes whose routes ask for scopes, built in a folder of their own. */
import type { Test } from 'tap'
import { copiesOfBuilt } from './built-app.ts'

const config = `import { type AppConfig, defineApp } from 'acmcp'
export const config: AppConfig = defineApp({
  mcp: {
    authProbe: '/who',
    resourceMetadata: (_request, { baseUrl }) => ({ authorizationServers: [baseUrl], scopesSupported: ['api'] }),
  },
  scopes: {
    'notes:read': 'see your notes',
    'notes:write': { text: 'add and change notes', implies: ['notes:read'] },
    'notes:delete': { text: 'delete notes for good', sensitive: true },
    staff: { text: 'see the notes of everybody', sensitive: true, mayHave: ({ id }) => id === 'dev:boss' },
  },
})
`

const notes = `import { ApplicationController, type Header } from 'acmcp'

/**
 * Notes of the signed-in user.
 *
 * @scope notes:read
 */
export class Notes extends ApplicationController {
  /**
   * Lists notes.
   *
   * @get /
   * @mcp root
   */
  index(): readonly string[] {
    return this.access?.scopes ?? []
  }

  /**
   * Adds a note.
   *
   * @post /
   * @scope notes:write
   * @param text - what it says
   */
  create(text: string): string {
    return text
  }

  /**
   * Deletes a note.
   *
   * @delete /:id
   * @scope notes:delete
   * @param id - which one
   */
  destroy(id: string): string {
    return id
  }
}

/** For people in a browser, and scripts with a key. */
export class Pages extends ApplicationController {
  /**
   * Finds out who asks.
   *
   * @filter before
   */
  identify(_authorization?: Header<'Authorization'>): void {}

  /**
   * Shows a page.
   *
   * @get /
   * @scope notes:read unless=session,key
   */
  show(): string {
    return ''
  }
}
`

const others = `import { ApplicationController, Unauthorized } from 'acmcp'

/** Who asks. */
export class Who extends ApplicationController {
  /**
   * Tells who asks.
   *
   * @get /
   * @mcp root
   */
  show(): string {
    if (this.access === null) throw new Unauthorized()
    return this.access.user.id
  }
}

/** For those who look after the notes. */
export class Staff extends ApplicationController {
  /**
   * Lists the notes of everybody.
   *
   * @get /
   * @scope staff
   */
  index(): string[] {
    return []
  }
}
`

/** A folder of the built application. */
export const scopedNotesIn: (t: Test) => Promise<string> = copiesOfBuilt({
  'app/config.ts': config,
  'app/controllers/notes.ts': notes,
  'app/controllers/others.ts': others,
})
