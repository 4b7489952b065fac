import { rich } from '../../shared/rich.tsx'

/** The usual port: the front door does not know another one. */
const MACHINE_ROOM = 'http://127.0.0.1:2280/operator'

/** Where who has the token of the operator finds the room. */
export const MachineRoom = () => (
  <p className="muted">
    {rich(
      'The room of the machine is at {address}, or at the port of {port}. From another computer open a tunnel first: {tunnel}. It asks for {token}, which is in {file} or beside the settings of the server.',
      {
        address: <code>{MACHINE_ROOM}</code>,
        port: <code>ROOKERY_OPS_PORT</code>,
        tunnel: <code>{`ssh -L 2280:127.0.0.1:2280 ${location.hostname}`}</code>,
        token: <code>ROOKERY_OPS_TOKEN</code>,
        file: <code>/etc/rookery/env</code>,
      },
    )}
  </p>
)
