// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// The least of a contract wallet (ERC-1271), for tests: it stands by what one key signs.
contract Wallet {
    address private immutable key;

    constructor(address signingKey) {
        key = signingKey;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature)
        external
        view
        returns (bytes4)
    {
        if (signature.length != 65) return 0;
        address signer = ecrecover(
            hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64])
        );
        return signer != address(0) && signer == key ? this.isValidSignature.selector : bytes4(0);
    }
}
