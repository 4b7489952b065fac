// Every regular expression of the program, and texts that make one that backtracks do it.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { parseAst } from 'vite'
import { effort, LONG } from '../effort.ts'
import { ROOT } from '../program.ts'

export type Pattern = { readonly where: string; readonly regex: RegExp }

/** The literals of src/. What is computed there is made from constants, and met by the operations that use it. */
export function patternsOfSources(): Pattern[] {
  const literals: Pattern[] = []
  for (const file of globSync('src/**/*.ts', { cwd: ROOT }).sort()) {
    if (file.endsWith('.test.ts') || file.endsWith('.d.ts')) continue
    const source = readFileSync(join(ROOT, file), 'utf8')
    visit(parseAst(source, { lang: 'ts' }, file), (node) => {
      if (node.regex) {
        const { pattern, flags } = node.regex
        literals.push({ where: `${file}: /${pattern}/${flags}`, regex: new RegExp(pattern, flags) })
      }
    })
  }
  return literals
}

// biome-ignore lint/suspicious/noExplicitAny: nodes of every kind
function visit(node: any, found: (node: any) => void): void {
  if (Array.isArray(node)) {
    for (const one of node) visit(one, found)
  } else if (typeof node === 'object' && node !== null) {
    found(node)
    for (const key of Object.keys(node)) visit(node[key], found)
  }
}

/** Ends after which most patterns do not match, so that a pattern which can backtrack has to. */
const ENDS = ['', '\u0001', '!', ' a', '\n']
const SAMPLES = effort(1, 8)
const SIZES = LONG ? [1, 2] : [1]
const MAX_SAMPLE_CHARACTERS = 40

/**
 * Texts of about `length` characters: what the pattern matches, with one character or a piece of it repeated, and
 * an end that does not fit.
 */
export function* hostileTexts(regex: RegExp, length: number, seed: number): Generator<string> {
  const seen = new Set<string>()
  for (const unit of unitsOf(regex)) {
    for (const end of ENDS) yield unit.repeat(length / unit.length) + end
  }
  for (const sample of samplesOf(regex, seed)) {
    for (let at = 0; at < sample.length; at++) {
      for (const size of SIZES) {
        const unit = sample.slice(at, at + size)
        const pumped = sample.slice(0, at) + unit.repeat(length / unit.length)
        const key = `${sample.slice(0, at)}|${unit}`
        if (seen.has(key)) continue
        seen.add(key)
        for (const end of ENDS) yield pumped + end
        yield `${pumped}${sample.slice(at + size)}!`
      }
    }
  }
}

/** Texts that match; none when fast-check does not know a part of the pattern. */
function samplesOf(regex: RegExp, seed: number): string[] {
  try {
    const flags = regex.flags.replace(/[gy]/g, '')
    const texts = fc.sample(fc.stringMatching(new RegExp(regex.source, flags), { size: 'small' }), {
      seed,
      numRuns: SAMPLES,
    })
    return texts.map((text) => text.slice(0, MAX_SAMPLE_CHARACTERS))
  } catch {
    return []
  }
}

/** Single characters and pairs that the pattern speaks of. */
function unitsOf({ source }: RegExp): string[] {
  const plain = source.replace(/\\[a-zA-Z]|[\\^$.*+?()[\]{}|]/g, '')
  const characters = [...new Set([...plain.slice(0, 30), ' ', '0', 'a', 'A', '=', '/', '.'])]
  return [...characters, 'a ', '0.', 'a-', 'ab', '\u00e9', '\ud83e\udd9c']
}
