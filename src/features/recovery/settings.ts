import {
  optionalSetting,
  parseInteger,
  type SettingGroup,
  type SettingValues,
} from '../../kernel/base/setting.ts'

const settings = {
  recoveryDays: optionalSetting({
    variable: 'ROOKERY_RECOVERY_DAYS',
    what: 'Turns the recovery service on: accounts that have named it get a new key this many days after the operator has decided so (docs/accounts.md). For accounts that this server keeps.',
    parse: (text) => (text === 'off' ? undefined : parseInteger(text, 1, 90)),
    live: {
      title: 'Recovery of lost accounts',
      help: 'Who has lost every key, and has allowed it before, gets the account back so long after you have decided so. Seven days are recommended.',
      unit: 'days of waiting',
      off: 'off',
      needsToken: true,
    },
  }),
}

export const RECOVERY_SETTINGS = { title: 'Recovery', settings } satisfies SettingGroup

export type RecoveryConfig = SettingValues<typeof settings>
