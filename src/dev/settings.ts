import { portSetting, type SettingGroup } from '../setting.ts'

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
