/** Every diagnostic as the code raises it: its functions are called with `…` for a name or a place. */
import * as built from '../../../cli/build/build-diagnostics.ts'
import * as approved from '../../../cli/capabilities/approval/diagnostics.ts'
import * as budgeted from '../../../cli/capabilities/budget/diagnostics.ts'
import * as pictured from '../../../cli/capabilities/icon/diagnostics.ts'
import * as keyed from '../../../cli/capabilities/idempotency/diagnostics.ts'
import * as skilled from '../../../cli/capabilities/skills/diagnostics.ts'
import * as tasked from '../../../cli/capabilities/tasks/diagnostics.ts'
import * as answered from '../../../cli/compiler/diagnostics/answer-diagnostics.ts'
import * as bundled from '../../../cli/compiler/diagnostics/bundle-diagnostics.ts'
import * as checked from '../../../cli/compiler/diagnostics/checked-diagnostics.ts'
import * as configured from '../../../cli/compiler/diagnostics/config-diagnostics.ts'
import * as decorated from '../../../cli/compiler/diagnostics/decorator-diagnostics.ts'
import * as imported from '../../../cli/compiler/diagnostics/import-diagnostics.ts'
import * as ruled from '../../../cli/compiler/diagnostics/model-diagnostics.ts'
import * as named from '../../../cli/compiler/diagnostics/name-diagnostics.ts'
import * as offered from '../../../cli/compiler/diagnostics/prompt-diagnostics.ts'
import * as questions from '../../../cli/compiler/diagnostics/question-diagnostics.ts'
import * as scoped from '../../../cli/compiler/diagnostics/scope-diagnostics.ts'
import * as secrets from '../../../cli/compiler/diagnostics/secret-diagnostics.ts'
import * as found from '../../../cli/compiler/diagnostics/source-diagnostics.ts'
import * as tagged from '../../../cli/compiler/diagnostics/tag-diagnostics.ts'

export type Shape = Pick<found.Diagnostic, 'code' | 'severity' | 'message' | 'hint'>

const {
  error: _error,
  warning: _warning,
  place: _place,
  exactPlace: _exact,
  firstAndMore: _more,
  ...ofSources
} = found
const rooms: readonly object[] = [
  ...[ofSources, configured, imported, ruled, named, offered, questions, checked],
  ...[skilled, secrets, answered, budgeted, pictured, scoped, approved],
  ...[keyed, tagged, tasked, built, bundled, decorated],
]

/** Stands for any argument of a diagnostic: a text, a place or a list. */
const anything: unknown = Object.assign(Object('…'), { file: '…', line: '…', column: 1 })

/** By code. */
export const shapes = (): readonly Shape[] =>
  rooms
    .flatMap((room): readonly unknown[] => Object.values(room))
    .filter((make) => typeof make === 'function')
    .map((make): found.Diagnostic => make(...new Array(5).fill(anything)))
    .map(({ code, severity, message, hint }) => ({
      code,
      severity,
      message: String(message).replaceAll('…:…', '…'),
      hint: String(hint).replaceAll('…:…', '…'),
    }))
    .sort((a, b) => (a.code < b.code ? -1 : 1))
