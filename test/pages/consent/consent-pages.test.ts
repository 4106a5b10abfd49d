/** The pages of consent, looked at as all pages are. */
import t from 'tap'
import { noBrowser } from '../../support/chromium.ts'
import { lookAtPages, shownTo } from '../looks.ts'

t.setTimeout(600_000)

lookAtPages(t, shownTo(t), { skip: noBrowser, isMeant: (name) => /^consent/.test(name) })
