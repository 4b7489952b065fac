import type { LiveTerms, Setting, ShownSetting } from '../base/setting.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Reader } from './storage.ts'

// Settings that the operator may change while the server runs. The environment gives the default, and may lock one. What is
// written in the store counts in every process with the transaction that writes it: it is read each time, by its key.

type Rows = Pick<Reader, 'of'>

/** What the operator has written in place of a setting, by the name of its variable. */
export type WrittenText = (reader: Rows, name: string) => Promise<string | undefined>

/** The value of a setting now. */
export type Live<T> = (reader?: Rows) => Promise<T>

export type LiveSetting = Omit<LiveTerms, 'checkWritten'> &
  Pick<ShownSetting, 'variable' | 'what' | 'source' | 'isLocked'> & {
    /** What the environment or its default says; empty: nothing. */
    readonly given: string
  }

/** Where what is in force comes from. */
export type LiveSource = ShownSetting['source'] | 'room'

export class LiveSettings {
  readonly #reader: Rows
  readonly #shown: readonly ShownSetting[]
  readonly #written: WrittenText | undefined
  readonly #used = new Map<string, Setting<unknown>>()

  /** Without `written` settings are as they are given. */
  constructor(reader: Rows, shown: readonly ShownSetting[], written: WrittenText | undefined) {
    this.#reader = reader
    this.#shown = shown
    this.#written = written
  }

  /** Reads a setting, whose value is `given` unless something else was written, and lists it among those that may be changed. */
  use<T>(setting: Setting<T>, given: T): Live<T> {
    this.#used.set(setting.variable, setting)
    const { isLocked } = this.#shownAs(setting.variable)
    return async (reader = this.#reader) => {
      const text = isLocked ? undefined : await this.#written?.(reader, setting.variable)
      return text !== undefined && this.counts(setting.variable, text) ? setting.parse(text) : given
    }
  }

  /** Those that this server uses. */
  list(): LiveSetting[] {
    return [...this.#used.values()].map(({ variable, what, live }) => {
      const { source, isLocked, value: given = '' } = this.#shownAs(variable)
      const { checkWritten, ...terms } = live!
      return { variable, what, ...terms, source, isLocked, given }
    })
  }

  /**
   * Whether what was written for a setting is in force: not while the environment locks it, and not where this version, or what
   * the environment says now, refuses it.
   */
  counts(variable: string, text: string): boolean {
    const setting = this.#used.get(variable)
    if (!setting || this.#shownAs(variable).isLocked) return false
    try {
      this.#parse(setting, text)
      return true
    } catch {
      return false
    }
  }

  /** All settings as they are in force now, also those that the environment alone decides. */
  async shownNow(): Promise<(Omit<ShownSetting, 'source'> & { source: LiveSource })[]> {
    return Promise.all(
      this.#shown.map(async (one) => {
        if (!this.#used.has(one.variable)) return one
        const text = await this.#written?.(this.#reader, one.variable)
        if (text === undefined || !this.counts(one.variable, text)) return one
        return { ...one, value: text, source: 'room' as const }
      }),
    )
  }

  /** For the log at the start: each setting for which something else is written than the environment says. */
  async differences(): Promise<string[]> {
    const found: string[] = []
    for (const { variable, given } of this.list()) {
      const text = await this.#written?.(this.#reader, variable)
      if (text === undefined || text === given) continue
      const end = this.counts(variable, text)
        ? `counts, and not "${given}" of the environment: rookery setting reset ${variable} takes it back`
        : `does not count, but "${given}" does: it would count again once nothing keeps it out; rookery setting reset ${variable} forgets it`
      found.push(`${variable}: "${text}", written in the room of the operator, ${end}`)
    }
    return found
  }

  #parse<T>(setting: Setting<T>, text: string): T {
    const { value: given = '' } = this.#shownAs(setting.variable)
    const value = setting.parse(text)
    setting.live?.checkWritten?.(text, given)
    return value
  }

  /** Throws a Rejection unless the text may be written for the setting. What was written may be taken away also while it is locked. */
  check(variable: string, text: string | undefined): void {
    const setting = this.#used.get(variable)
    const refuse = (code: 'bad_request.validation_failure' | 'bad_request.conflict', why: string) =>
      new Rejection(code, `${variable} ${why}`, { field: 'variable' })
    if (!setting) {
      throw refuse(
        'bad_request.validation_failure',
        'is no setting that this server lets you change',
      )
    }
    if (text === undefined) return
    if (this.#shownAs(variable).isLocked) {
      throw refuse('bad_request.conflict', 'is locked on the machine: change it there')
    }
    try {
      this.#parse(setting, text)
    } catch (error) {
      throw refuse('bad_request.validation_failure', (error as Error).message)
    }
  }

  #shownAs(variable: string): Pick<ShownSetting, 'source' | 'isLocked' | 'value'> {
    const found = this.#shown.find((one) => one.variable === variable)
    return found ?? { source: 'unset', isLocked: false }
  }
}
