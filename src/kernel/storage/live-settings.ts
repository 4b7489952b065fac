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

export type LiveSetting = LiveTerms &
  Pick<ShownSetting, 'variable' | 'what' | 'source' | 'isLocked'> & {
    /** What the environment or its default says; empty: nothing. */
    readonly given: string
  }

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
      return text === undefined ? given : parsedOr(setting, text, given)
    }
  }

  /** Those that this server uses. */
  list(): LiveSetting[] {
    return [...this.#used.values()].map(({ variable, what, live }) => {
      const { source, isLocked, value: given = '' } = this.#shownAs(variable)
      return { variable, what, ...live!, source, isLocked, given }
    })
  }

  /** Throws a Rejection unless the text may be written for the setting, or what was written taken away. */
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
    if (this.#shownAs(variable).isLocked) {
      throw refuse('bad_request.conflict', 'is locked on the machine: change it there')
    }
    try {
      if (text !== undefined) setting.parse(text)
    } catch (error) {
      throw refuse('bad_request.validation_failure', (error as Error).message)
    }
  }

  #shownAs(variable: string): Pick<ShownSetting, 'source' | 'isLocked' | 'value'> {
    const found = this.#shown.find((one) => one.variable === variable)
    return found ?? { source: 'unset', isLocked: false }
  }
}

/** A later version may refuse what an earlier one has written: the server goes on with what it is given. */
function parsedOr<T>({ parse }: Setting<T>, text: string, given: T): T {
  try {
    return parse(text)
  } catch {
    return given
  }
}
