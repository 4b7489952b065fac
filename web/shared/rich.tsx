import compile from 'icu-minify/compile'
import { createElement, Fragment, type ReactNode } from 'react'
import type { Compiled, Value } from '../../src/kernel/base/languages/format.ts'
import { messageParts } from './messages.ts'
import { LIST } from './text.ts'

// Texts with elements inside: messages.ts.

type Given = Readonly<Record<string, ReactNode | ((inner: ReactNode) => ReactNode)>>

const inOne = (parts: readonly ReactNode[]): ReactNode => createElement(Fragment, null, ...parts)

export function richAt(at: number, english: Compiled, values: Given): ReactNode {
  const given = Object.entries(values).map(([name, value]): [string, Value<ReactNode>] => [
    name,
    typeof value === 'function' ? (inner) => value(inOne(inner)) : value,
  ])
  return inOne(messageParts(at, english, Object.fromEntries(given)))
}

/** Joins elements as `listText` joins texts: `A, B and C`, as the language of the page writes lists. */
export const listed = (all: readonly ReactNode[]): ReactNode =>
  inOne(
    LIST.formatToParts(all.map((_, at) => String(at))).map(({ type, value }) =>
      type === 'element' ? all[Number(value)] : value,
    ),
  )

/** `rich('Read the <link>rules</link>', { link: (inner) => <Link to="/rules">{inner}</Link> })` */
export const rich = (message: string, values: Given, _context?: string): ReactNode =>
  richAt(-1, compile(message) as Compiled, values)
