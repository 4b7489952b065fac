// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IdGateway} from "./IdGateway.sol";
import {KeyGateway} from "./KeyGateway.sol";
import {Refunds} from "./Refunds.sol";

/// A fid, storage and keys in one transaction. The keys' nonces follow one another in the order of the list.
contract Bundler is Refunds {
    struct RegistrationParams {
        address to;
        address recovery;
        uint256 deadline;
        bytes sig;
    }

    struct SignerParams {
        uint32 keyType;
        bytes key;
        uint8 metadataType;
        bytes metadata;
        uint256 deadline;
        bytes sig;
    }

    IdGateway public immutable idGateway;
    KeyGateway public immutable keyGateway;

    constructor(IdGateway ids, KeyGateway keys) {
        idGateway = ids;
        keyGateway = keys;
    }

    receive() external payable {
        if (msg.sender != address(idGateway)) revert Unauthorized();
    }

    function price(uint256 extraStorage) external view returns (uint256) {
        return idGateway.price(extraStorage);
    }

    function register(
        RegistrationParams calldata registration,
        SignerParams[] calldata signers,
        uint256 extraStorage
    ) external payable returns (uint256 fid) {
        uint256 overpayment;
        (fid, overpayment) = idGateway.registerFor{value: msg.value}(
            registration.to,
            registration.recovery,
            registration.deadline,
            registration.sig,
            extraStorage
        );
        addAll(registration.to, signers);
        refund(overpayment);
    }

    function addKeys(address fidOwner, SignerParams[] calldata signers) external {
        addAll(fidOwner, signers);
    }

    function addAll(address fidOwner, SignerParams[] calldata signers) private {
        for (uint256 i = 0; i < signers.length; i++) {
            SignerParams calldata signer = signers[i];
            keyGateway.addFor(
                fidOwner,
                signer.keyType,
                signer.key,
                signer.metadataType,
                signer.metadata,
                signer.deadline,
                signer.sig
            );
        }
    }
}
