import {
  optionalSetting,
  parseInteger,
  type SettingGroup,
  type SettingValues,
} from '../../kernel/base/setting.ts'

/** What may be written while the server runs where the environment gives no days. */
const LEAST_DAYS = 7

const settings = {
  recoveryDays: optionalSetting({
    variable: 'ROOKERY_RECOVERY_DAYS',
    what: 'Turns the recovery service on: accounts that have named it get a new key this many days after the operator has decided so (docs/accounts.md). For accounts that this server keeps.',
    parse: (text) => (text === 'off' ? undefined : parseInteger(text, 1, 90)),
    live: {
      title: 'Recovery of lost accounts',
      help: 'Who has lost every key, and has allowed it before, gets the account back so long after you have decided so. Seven days are recommended; fewer than the machine says, or than seven, cannot be chosen here.',
      unit: 'days of waiting',
      off: 'off',
      proposed: String(LEAST_DAYS),
      // Whoever gets hold of the token must not shorten the time in which owners can stop a move.
      checkWritten: (text, given) => {
        const least = Number(given) || LEAST_DAYS
        if (text !== 'off' && Number(text) < least) {
          throw new Error(
            `must be off or at least ${least} days here: fewer are allowed in the environment of the machine alone`,
          )
        }
      },
      needsToken: true,
    },
  }),
}

export const RECOVERY_SETTINGS = { title: 'Recovery', settings } satisfies SettingGroup

export type RecoveryConfig = SettingValues<typeof settings>
