import { CALLS } from '../../../src/cli/generated/calls.ts'
import { t } from '../../shared/messages.ts'
import { ask } from '../api.ts'

// The calls that commands of the operator make, from the table that is written from the declarations of routes.

export type Field = {
  readonly type?: string
  readonly required?: boolean
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly choices?: readonly string[]
}
export type Command = {
  /** `POST /platform/credits` */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly fields: Readonly<Record<string, Field>>
}

type Declared = Pick<Command, 'summary' | 'description' | 'fields'>

export const COMMANDS: readonly Command[] = Object.entries<Declared>(CALLS.operations).map(
  ([name, declared]) => {
    const [method, path] = name.split(' ') as [Command['method'], string]
    return { name, method, path, ...declared }
  },
)

/** A call takes no more lines at a time. */
const MAX_LINES = 500

/** The input as the call takes it. Lists are given as lines, each a text or a JSON object. */
export function readInput(
  { fields }: Command,
  given: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const [name, { type }] of Object.entries(fields)) {
    const text = (given[name] ?? '').trim()
    if (text === '') continue
    if (type === 'array') input[name] = linesOf(text)
    else if (type === 'integer' || type === 'number') input[name] = Number(text)
    else if (type === 'boolean') input[name] = text === 'true'
    else input[name] = text
  }
  return input
}

const linesOf = (text: string): unknown[] =>
  text.split('\n').flatMap((line, at) => {
    const one = line.trim()
    if (one === '') return []
    if (!one.startsWith('{')) return [one]
    try {
      return [JSON.parse(one)]
    } catch {
      throw new Error(t('Line {at} is not JSON.', { at: at + 1 }))
    }
  })

/** Makes the call, or several when it has more lines than one takes. Answers each one. */
export async function run(command: Command, input: Record<string, unknown>): Promise<unknown[]> {
  const list = Object.entries(input).find(([, value]) => Array.isArray(value))
  const items = list?.[1] as unknown[] | undefined
  if (!list || !items || items.length <= MAX_LINES) return [await call(command, input)]
  const answers: unknown[] = []
  for (let at = 0; at < items.length; at += MAX_LINES) {
    const part = items.slice(at, at + MAX_LINES)
    answers.push(await call(command, { ...input, [list[0]]: part }))
  }
  return answers
}

function call({ method, path }: Command, input: Record<string, unknown>): Promise<unknown> {
  const rest = { ...input }
  const url = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  if (method === 'GET') return ask(url, { query: rest as Record<string, string> })
  return ask(url, Object.keys(rest).length > 0 ? { method, body: rest } : { method })
}

// biome-ignore lint/suspicious/noExplicitAny: pages of several lists
export function nextOf(answer: any): Record<string, string> | undefined {
  const { next, nextPageToken } = answer ?? {}
  if (typeof next === 'string') return { after: next }
  if (next?.cursor) return { cursor: next.cursor }
  return nextPageToken ? { pageToken: nextPageToken } : undefined
}

const MAX_PAGES = 10_000

/** All pages of a list. */
export async function readAll(
  command: Command,
  input: Record<string, unknown>,
  onPage: (pages: number) => void,
): Promise<unknown[]> {
  const answers: unknown[] = []
  for (let page: Record<string, string> | undefined = {}; page; ) {
    const answer = await call(command, { ...input, ...page })
    answers.push(answer)
    onPage(answers.length)
    if (answers.length >= MAX_PAGES)
      throw new Error(t('There are more than {maxPages} pages.', { maxPages: MAX_PAGES }))
    page = nextOf(answer)
  }
  return answers
}
