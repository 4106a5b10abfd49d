/** Mistakes in skills (`@mcp skill`). One function a diagnostic. */

import { type Diagnostic, error, warning } from '../../compiler/diagnostics/source-diagnostics.ts'
import type { At } from '../../compiler/ir/schema.ts'

export const skillTextMissing = (at: At, controller: string): Diagnostic =>
  error('ACM290', at, [
    `the skill of ${controller} has no description: models cannot know what it is for`,
    'Write what the controller is for above its first tag.',
  ])

export const badSkillName = (at: At, name: string, controller: string): Diagnostic =>
  error('ACM291', at, [
    `'${name}', after ${controller}, cannot be the name of a skill`,
    'Rename the class: a skill has 1 to 64 lower-case letters, digits and single hyphens.',
  ])

export const skillNameTaken = (at: At, name: string, other: string): Diagnostic =>
  error('ACM292', at, [
    `the skill '${name}' is that of ${other} too`,
    'Rename one of the two classes, or remove a tag.',
  ])

export const skillDescriptionTooLong = (at: At, name: string, length: string): Diagnostic =>
  error('ACM293', at, [
    `the description of the skill '${name}' has ${length} characters, and clients take 1024`,
    'Shorten the first line of the doc comment, or the text behind @mcp skill.',
  ])

export const skillWithoutTools = (at: At, controller: string): Diagnostic =>
  error('ACM294', at, [
    `${controller} has a skill and no tools`,
    'Show a tool with @mcp show, or remove the tag.',
  ])

export const skillTooLong = (at: At, name: string, tokens: string, most: string): Diagnostic =>
  warning('ACM295', at, [
    `the SKILL.md of '${name}' has ${tokens} tokens, more than ${most}: models read all of it`,
    'Shorten the doc comment of the class, or split the controller.',
  ])

export const uriOfSkills = (at: At, uri: string): Diagnostic =>
  error('ACM297', at, [
    `the address ${uri} is one of skills, which this application has`,
    'Write another scheme in uri=…',
  ])
