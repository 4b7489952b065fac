// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {KeyRegistry} from "./KeyRegistry.sol";
import {Nonces} from "./Nonces.sol";

/// Adds keys, for the caller or for who signed.
contract KeyGateway is Nonces {
    bytes32 public constant ADD_TYPEHASH = keccak256(
        "Add(address owner,uint32 keyType,bytes key,uint8 metadataType,bytes metadata,uint256 nonce,uint256 deadline)"
    );

    KeyRegistry public immutable keyRegistry;

    constructor(KeyRegistry registry) {
        keyRegistry = registry;
    }

    function domainName() internal pure override returns (string memory) {
        return "Farcaster KeyGateway";
    }

    function add(
        uint32 keyType,
        bytes calldata key,
        uint8 metadataType,
        bytes calldata metadata
    ) external {
        keyRegistry.add(msg.sender, keyType, key, metadataType, metadata);
    }

    function addFor(
        address fidOwner,
        uint32 keyType,
        bytes calldata key,
        uint8 metadataType,
        bytes calldata metadata,
        uint256 deadline,
        bytes calldata sig
    ) external {
        // In two halves: all eight words at once do not fit the stack.
        bytes32 structHash = keccak256(
            bytes.concat(
                abi.encode(ADD_TYPEHASH, fidOwner, keyType, keccak256(key)),
                abi.encode(metadataType, keccak256(metadata), takeNonce(fidOwner), deadline)
            )
        );
        checkSigned(fidOwner, structHash, deadline, sig);
        keyRegistry.add(fidOwner, keyType, key, metadataType, metadata);
    }
}
