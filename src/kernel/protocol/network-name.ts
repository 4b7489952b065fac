import { Network } from './wire/message_pb.js'

/** The network's name as settings write it: mainnet, testnet or devnet. */
export const networkName = (network: Network): string => Network[network].toLowerCase()
