/** Every diagnostic of the build: message, hint and severity as the code itself gives them, and what the reference adds. */
import * as built from '../build/build-diagnostics.ts'
import * as answered from '../compiler/diagnostics/answer-diagnostics.ts'
import * as configured from '../compiler/diagnostics/config-diagnostics.ts'
import * as imported from '../compiler/diagnostics/import-diagnostics.ts'
import * as ruled from '../compiler/diagnostics/model-diagnostics.ts'
import * as named from '../compiler/diagnostics/name-diagnostics.ts'
import * as offered from '../compiler/diagnostics/prompt-diagnostics.ts'
import * as asked from '../compiler/diagnostics/question-diagnostics.ts'
import * as scoped from '../compiler/diagnostics/scope-diagnostics.ts'
import * as skilled from '../compiler/diagnostics/skill-diagnostics.ts'
import * as found from '../compiler/diagnostics/source-diagnostics.ts'
import * as tagged from '../compiler/diagnostics/tag-diagnostics.ts'
import * as tasked from '../compiler/diagnostics/task-diagnostics.ts'
import { aboutAddresses, aboutHeaders } from './diagnostics/config.ts'
import { aboutControllers } from './diagnostics/controllers.ts'
import type { Explanations } from './diagnostics/explanation.ts'
import { aboutFiles } from './diagnostics/files.ts'
import { aboutMethods } from './diagnostics/methods.ts'
import { aboutPrompts } from './diagnostics/prompts.ts'
import { aboutQuestions } from './diagnostics/questions.ts'
import { aboutAnswers, aboutNames, aboutRoutesAndTools } from './diagnostics/routes-and-tools.ts'
import { aboutScopes } from './diagnostics/scopes.ts'
import { aboutSkills } from './diagnostics/skills.ts'
import { aboutTags } from './diagnostics/tags.ts'
import { aboutTasks } from './diagnostics/tasks.ts'
import { aboutTypes } from './diagnostics/types.ts'
import type { Entry, Sample } from './entry.ts'

export type Shape = Pick<found.Diagnostic, 'code' | 'severity' | 'message' | 'hint'>

/** Stands for any argument of a diagnostic: a text, a place or a list. */
const anything: unknown = Object.assign(Object('…'), { file: '…', line: '…', column: 1 })

const { error: _error, warning: _warning, place: _place, ...ofSources } = found

/** What the code raises, by code; `…` stands for a name or a place. */
export function shapes(): readonly Shape[] {
  const makers: readonly unknown[] = [
    ...[
      ofSources,
      configured,
      imported,
      ruled,
      named,
      offered,
      asked,
      skilled,
      answered,
      scoped,
      tagged,
      tasked,
      built,
    ],
  ].flatMap((room) => Object.values(room))
  return makers
    .filter((make) => typeof make === 'function')
    .map((make): found.Diagnostic => make(...new Array(5).fill(anything)))
    .map(({ code, severity, message, hint }) => ({
      code,
      severity,
      message: plain(message),
      hint: plain(hint),
    }))
    .sort((a, b) => (a.code < b.code ? -1 : 1))
}

const plain = (text: string): string => String(text).replaceAll('…:…', '…')

/** By title of their part of the page. */
export const groups: Readonly<Record<string, Explanations>> = {
  'Controllers and configuration': aboutControllers,
  Tags: aboutTags,
  'Methods, parameters and handlers': aboutMethods,
  Types: aboutTypes,
  'Routes and tools': { ...aboutRoutesAndTools, ...aboutNames },
  'Addresses and configuration': aboutAddresses,
  'Prompts and resources': aboutPrompts,
  Tasks: aboutTasks,
  Skills: aboutSkills,
  'Answers of tools': aboutAnswers,
  'Questions to users': aboutQuestions,
  Scopes: aboutScopes,
  'Headers of tool calls': aboutHeaders,
  'Bundle and generated files': aboutFiles,
}

/** The explanation of one, in a part of the page. */
export function diagnosticEntries(group: Explanations): readonly Entry[] {
  const byCode = new Map(shapes().map((shape) => [shape.code, shape]))
  return Object.entries(group).flatMap(([code, { meaning, wrong, right }]) => {
    const shape = byCode.get(code)
    if (shape === undefined) return []
    const { severity, message, hint } = shape
    const samples: readonly Sample[] = [
      ...(wrong === undefined ? [] : [{ label: 'wrong', text: wrong } as const]),
      ...(right === undefined ? [] : [{ label: 'right', text: right } as const]),
    ]
    const facts: Entry['facts'] = [
      ['severity', severity],
      ['message', message === '…' ? '… (of TypeScript or esbuild)' : message],
      ['what to do', hint],
    ]
    return [{ kind: 'diagnostic', name: code, aliases: [], facts, meaning, samples }]
  })
}

export const allDiagnostics = (): readonly Entry[] => Object.values(groups).flatMap(diagnosticEntries)
