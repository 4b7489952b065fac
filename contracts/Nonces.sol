// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TypedData} from "./TypedData.sol";

/// Counts the signatures of each address for this contract, so that none serves twice.
abstract contract Nonces is TypedData {
    mapping(address => uint256) public nonces;

    /// Makes what the caller has signed with its present nonce worthless.
    function useNonce() external returns (uint256) {
        return takeNonce(msg.sender);
    }

    function takeNonce(address signer) internal returns (uint256) {
        return nonces[signer]++;
    }
}
