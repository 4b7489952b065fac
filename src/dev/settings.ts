import { portSetting, type SettingGroup, type SettingValues } from '../setting.ts'

const settings = {
  chainPort: portSetting(
    'ROOKERY_CHAIN_PORT',
    'the chain that rookery start --chain anvil runs',
    8545,
  ),
}

export const DEV_SETTINGS = {
  title: 'Development network',
  settings,
} satisfies SettingGroup

export type DevConfig = SettingValues<typeof settings>
