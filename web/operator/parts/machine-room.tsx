import { rich } from '../../shared/rich.tsx'

/** With the default of ROOKERY_OPS_PORT: pages at the front door are not told another one. */
const MACHINE_ROOM = 'http://127.0.0.1:2280/operator'

/** How the settings call the port and the token, and where rookery init puts them. */
const PORT = 'ROOKERY_OPS_PORT'
export const TOKEN = 'ROOKERY_OPS_TOKEN'
export const SETTINGS_FILE = '/etc/rookery/env'

/** Where who has the token of the operator finds the room. */
export const MachineRoom = () => (
  <p className="muted">
    {rich(
      'The room of the machine is at {address}. From another computer open a tunnel first: {tunnel}',
      {
        address: <code>{MACHINE_ROOM}</code>,
        tunnel: <code>{`ssh -L 2280:127.0.0.1:2280 ${location.hostname}`}</code>,
      },
    )}{' '}
    {rich('{port} and {token} are in {file}, or where the settings of the server are.', {
      port: <code>{PORT}</code>,
      token: <code>{TOKEN}</code>,
      file: <code>{SETTINGS_FILE}</code>,
    })}
  </p>
)
