import {
  inBothModes,
  parseInteger,
  portSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../base/setting.ts'
import { DAY_SECONDS } from '../protocol/time.ts'

/** A day: the reader of a stream that was silent for longer is gone. */
const MAX_REPEAT_SECONDS = DAY_SECONDS

const settings = {
  grpcPort: portSetting('ROOKERY_GRPC_PORT', "the hub's gRPC interface", 2283),
  subscribeLimit: setting({
    variable: 'ROOKERY_SUBSCRIBE_LIMIT',
    what: 'Open Subscribe streams from one address, an IPv4 address or an IPv6 /64; an IPv6 /48 may have four times as many. Streams of /v1/events/stream have four times these limits.',
    defaults: inBothModes('16'),
    parse: (text) => parseInteger(text, 1, 4096),
  }),
  subscribeRepeatSeconds: setting({
    variable: 'ROOKERY_SUBSCRIBE_REPEAT_SECONDS',
    what: 'Seconds of silence after which a Subscribe stream gets its last event again, for clients that give up silent streams; 0: never.',
    defaults: inBothModes('0'),
    parse: (text) => parseInteger(text, 0, MAX_REPEAT_SECONDS),
  }),
}

export const GRPC_SETTINGS = {
  title: 'Hub over gRPC',
  settings,
} satisfies SettingGroup

export type GrpcConfig = SettingValues<typeof settings>
