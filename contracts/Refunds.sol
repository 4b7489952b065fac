// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Gives back to the caller what was paid too much.
abstract contract Refunds {
    error Unauthorized();
    error CallFailed();

    function refund(uint256 amount) internal {
        if (amount == 0) return;
        (bool ok,) = msg.sender.call{value: amount}("");
        if (!ok) revert CallFailed();
    }
}
