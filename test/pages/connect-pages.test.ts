/** The pages at the MCP address and at `/`, and those of `acmcp docs`, looked at as all pages are. */
import t from 'tap'
import { noBrowser } from '../support/chromium.ts'
import { lookAtPages, shownTo } from './looks.ts'

t.setTimeout(600_000)

lookAtPages(t, shownTo(t), { skip: noBrowser, isMeant: (name) => /^(connect|root|docs)/.test(name) })
