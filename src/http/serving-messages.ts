import type { AddressInfo } from 'node:net'
import type { InterfaceOptions } from './options.ts'

// What the process's own thread and a serving thread tell each other.

/** What a serving thread needs to start. */
export type Opening<Settings> = {
  readonly served: Pick<
    InterfaceOptions,
    'name' | 'errors' | 'exposedHeaders' | 'headers' | 'requestTimeoutMs'
  >
  readonly address: AddressInfo
  /** The path of the local socket to which it forwards requests that it does not answer. */
  readonly forwardTo: string
  readonly logsAnswers: boolean
  /** Those of the module. */
  readonly settings: Settings
}

export type LogLine = readonly [
  level: 'debug' | 'info' | 'warn' | 'error',
  entry: object,
  text: string,
]

/** What a thread did since its last report. */
export type Report = {
  /** The units that clients owe, by one of their addresses. */
  readonly owed: readonly (readonly [address: string, units: number])[]
  /** The index of the route and the milliseconds of each answer, one after the other. */
  readonly answers: readonly number[]
  readonly lines: readonly LogLine[]
}

/** From a serving thread. */
export type Notice =
  | { readonly routes: readonly string[] }
  | { readonly opened: number; readonly address: string }
  | { readonly closed: number }
  | { readonly rejected: Parameters<InterfaceOptions['metrics']['rejected']>[1] }
  | Report

/** What a client is told: how long it has to wait, and what it may spend in a thread before the next report is answered. */
export type Allowance = readonly [address: string, waitMs: number, units: number]

/** The answer to a report. `isShort` says that little is left for all together. */
export type Allowances = {
  readonly allowances: readonly Allowance[]
  readonly isShort: boolean
}

/** To a serving thread. `refuse` is a connection beyond the bounds. */
export type Order = { readonly refuse: number } | Allowances
