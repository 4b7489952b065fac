import { rich } from '../../shared/rich.tsx'

/** Where rookery init puts it. */
const MACHINE_ROOM = 'http://127.0.0.1:2280/operator'

/** Where who has the token of the operator finds the room. */
export const MachineRoom = () => (
  <p className="muted">
    {rich(
      'The room of the machine is at {address}. From another computer open a tunnel first: {tunnel}',
      {
        address: <code>{MACHINE_ROOM}</code>,
        tunnel: <code>{`ssh -L 2280:127.0.0.1:2280 ${location.hostname}`}</code>,
      },
    )}
  </p>
)
